import { createApp } from '../../services/gateway/app.ts';
import { createMetrics } from '../../shared/metrics.ts';

/** The short URLs, which the server takes on a path of their own. */
const SHORT_URLS = ['/{}/{}', '/{}/{}/{}'].map((path) => ({ method: 'GET', path }));

/** Every route that a gateway answers, its parameters without their names. No route is called: they need no parts. */
export function registeredRoutes(): Array<{ method: string; path: string }> {
  const [deps, responders] = [{ config: { baseUrl: 'http://localhost' } }, {}] as unknown as Parameters<
    typeof createApp
  >;
  const { routes } = createApp(deps, responders, createMetrics('test'));
  return [...routes, ...SHORT_URLS].map(({ method, path }) => ({ method, path: withoutNames(path) }));
}

/** `/api/html/:ns/`, `/api/html/{ns}` and `/api/html/{}` are one address. */
export function withoutNames(path: string): string {
  const segments = path
    .split('/')
    .map((segment) => (segment === '*' || /^(?::|\{)/.test(segment) ? '{}' : segment));
  return segments.join('/').replace(/(?<=.)\/$/, '');
}
