import { createApp, type GatewayApp } from '../../services/gateway/app.ts';
import { createMetrics } from '../../shared/metrics.ts';

/** The endpoints of a server without settings. None is called but the document's: they need no dependencies. */
export function describedApp(baseUrl = 'http://localhost'): GatewayApp {
  const config = { baseUrl, logRetentionDays: 30, scanning: { clamdUrl: null } };
  const [deps, responders] = [{ config }, {}] as unknown as Parameters<typeof createApp>;
  return createApp(deps, responders, createMetrics('test'));
}

/** The short URLs and the key's file, which the server takes on paths of their own. */
const SHORT_URLS = ['/{}/{}', '/{}/{}/{}', '/{key}.txt'].map((path) => ({ method: 'GET', path }));

/** Every route that a gateway answers, its parameters without their names. */
export const registeredRoutes = (): Array<{ method: string; path: string }> =>
  [...describedApp().routes, ...SHORT_URLS].map(({ method, path }) => ({ method, path: withoutNames(path) }));

/** `/api/html/:ns/`, `/api/html/{ns}` and `/api/html/{}` are one address. */
export function withoutNames(path: string): string {
  const segments = path
    .split('/')
    .map((segment) => (segment === '*' || /^(?::|\{)/.test(segment) ? '{}' : segment));
  return segments.join('/').replace(/(?<=.)\/$/, '');
}
