import { steadyNow } from '../deadline.ts';
import { newRequestId } from '../ids.ts';
import type { Bus } from '../ports/bus.ts';
import { pingAnalytics } from './analytics.ts';
import { call } from './call.ts';
import { pingContent } from './content.ts';
import { pingKv } from './kv.ts';
import { pingSite } from './site.ts';

/** Longest a service may take to answer, in ms. */
const PING_LIMIT_MS = 2_000;

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
