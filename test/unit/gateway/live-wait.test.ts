import { afterAll, expect, test } from 'bun:test';
import pino from 'pino';
import type { RequestContext } from '../../../services/gateway/http/request-context.ts';
import { createLive } from '../../../services/gateway/live/live.ts';
import type { Snapshot } from '../../../services/gateway/live/topic.ts';
import { createInProcessBus } from '../../../shared/adapters/bus/in-process.ts';
import { createLoadShedding } from '../../../shared/load-shedding.ts';
import { createMetrics } from '../../../shared/metrics.ts';

const log = pino({ level: 'silent' });
const metrics = createMetrics('gateway');
const live = createLive({
  ...{ metrics, log, clock: { now: () => Date.now() }, loadShedding: createLoadShedding(log) },
  bus: createInProcessBus({ maxPayloadBytes: 1_000 }),
  // One more wait of the client would be refused while the first one has its place.
  watchersPerClient: 1,
  onSlow: () => undefined,
});
afterAll(() => live.leave());

const known: Snapshot = {
  order: 1,
  id: '1',
  state: '1',
  data: '"1"',
  admission: 'a',
  expiresAt: Date.now() + 3_600_000,
};
const topic = { item: { namespace: 'public', id: 'store' }, key: 'k', read: async () => known };

/** Longer than the test may take. */
const LONG_MS = 600_000;

const waiting = (signal: AbortSignal): Promise<void> => {
  const context = {
    ...{ request: new Request('http://localhost/', { signal }), clientKey: '192.0.2.1', waitedMs: 0 },
    ...{ leavePlace: () => undefined, restartDeadline: () => undefined },
  };
  return live.wait(context as unknown as RequestContext, topic, known, LONG_MS);
};

test('a wait ends with its client, and gives its place back', async () => {
  const client = new AbortController();
  const wait = waiting(client.signal);
  await expect(waiting(client.signal)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  client.abort();
  await wait;
  expect(await metrics.registry.metrics()).toContain('live_watchers{kind="wait",service="gateway"} 0');
});

test('a wait whose client has gone before ends at once', async () => {
  await waiting(AbortSignal.abort());
  expect(await metrics.registry.metrics()).toContain('live_watchers{kind="wait",service="gateway"} 0');
});
