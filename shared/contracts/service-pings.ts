import { steadyNow } from '../deadline.ts';
import { errors } from '../errors.ts';
import { newRequestId } from '../ids.ts';
import type { Bus } from '../ports/bus.ts';
import { call } from './call.ts';
import { pingContent } from './content.ts';
import { pingKv } from './kv.ts';
import { pingScanner } from './scans.ts';
import { pingSite } from './site.ts';
import { pingAnalytics } from './stats.ts';

/** Longest a service may take to answer, in ms. */
const PING_LIMIT_MS = 2_000;

/** A check of the scanner by `content`, which rejects when it does not answer. */
export const scannerPing = (bus: Bus) => async (): Promise<void> => {
  const soon = { requestId: newRequestId(), deadline: steadyNow() + PING_LIMIT_MS };
  const { scanner } = await call(bus, pingScanner, {}, soon);
  if (scanner === 'down') throw errors.unavailable('scanner');
};

/** A check of each service, which rejects when none of its processes answers. */
export function servicePings(bus: Bus) {
  const soon = () => ({ requestId: newRequestId(), deadline: steadyNow() + PING_LIMIT_MS });
  return {
    content: () => call(bus, pingContent, {}, soon()),
    kv: () => call(bus, pingKv, {}, soon()),
    site: () => call(bus, pingSite, {}, soon()),
    analytics: () => call(bus, pingAnalytics, {}, soon()),
  };
}
