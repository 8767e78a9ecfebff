import { createApp, type GatewayApp } from '../../services/gateway/app.ts';
import { createMetrics } from '../../shared/metrics.ts';

/** The endpoints of a server without settings. None is called but the document's: they need no dependencies. */
export function describedApp(baseUrl = 'http://localhost'): GatewayApp {
  const config = { baseUrl, logRetentionDays: 30, scanning: { clamdUrl: null } };
  const [deps, responders] = [{ config }, {}] as unknown as Parameters<typeof createApp>;
  return createApp(deps, responders, createMetrics('test'));
}
