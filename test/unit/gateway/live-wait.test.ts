import { afterAll, expect, test } from 'bun:test';
import pino from 'pino';
import type { RequestContext } from '../../../services/gateway/http/request-context.ts';
import { answerKey } from '../../../services/gateway/kinds/kv/follow.ts';
import { etagOfEntry } from '../../../services/gateway/kinds/kv/serializer.ts';
import { createLive } from '../../../services/gateway/live/live.ts';
import type { Snapshot } from '../../../services/gateway/live/topic.ts';
import { createInProcessBus } from '../../../shared/adapters/bus/in-process.ts';
import type { Entry } from '../../../shared/items/entry.ts';
import type { ItemRecordOf } from '../../../shared/items/item-record.ts';
import { createLoadShedding } from '../../../shared/load-shedding.ts';
import { createMetrics } from '../../../shared/metrics.ts';
import { PerchError } from '../../../shared/perch-error.ts';

const log = pino({ level: 'silent' });
const metrics = createMetrics('gateway');
const options = {
  metrics,
  log,
  clock: { now: () => Date.now() },
  loadShedding: createLoadShedding(log),
  bus: createInProcessBus({ maxPayloadBytes: 1_000 }),
  // One more wait of the client would be refused while the first one has its place.
  watchersPerClient: 1,
  onSlow: () => undefined,
};
const live = createLive(options);
afterAll(() => live.leave());

const known: Snapshot = {
  order: 1,
  id: '1',
  state: '1',
  data: '"1"',
  access: 'a',
  expiresAt: Date.now() + 3_600_000,
};
const topic = { item: { namespace: 'public', id: 'store' }, key: 'k', read: async () => known };

/** Longer than the test may take. */
const LONG_MS = 600_000;

const waiting = (signal: AbortSignal): Promise<void> => {
  const context = {
    request: new Request('http://localhost/', { signal }),
    clientKey: '192.0.2.1',
    waitedMs: 0,
    releaseSlot: () => undefined,
    restartDeadline: () => undefined,
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

test('who takes no events of earlier streams beyond its share gets no further stream, others do', async () => {
  const many = createLive({ ...options, metrics: createMetrics('gateway'), watchersPerClient: 0 });
  const value = JSON.stringify('x'.repeat(1_048_576));
  const stream = (clientKey: string): Response => {
    const context = { request: new Request('http://localhost/'), clientKey, isHead: false };
    return many.stream(context as unknown as RequestContext, topic, { ...known, data: value });
  };
  const opened: Response[] = [];
  try {
    // Its share is half of the room of 64 MB, and one event more.
    expect(() => {
      for (let count = 0; count < 40; count++) opened.push(stream('192.0.2.1'));
    }).toThrow(PerchError);
    expect(opened.length).toBe(32);
    opened.push(stream('192.0.2.2'));
    for (const { body } of opened) await body?.cancel();
    opened.push(stream('192.0.2.1'));
  } finally {
    for (const { body } of opened) await body?.cancel();
    await many.leave();
  }
});

test('a value that a client has is in no memory while it waits for the next', async () => {
  const record = {
    namespace: 'public',
    id: 'store',
    code: 'c',
    passwordHash: null,
    expiresAt: known.expiresAt,
  };
  let held: WeakRef<object> | undefined;
  const read = async () => {
    const value = new String('"1"');
    held = new WeakRef(value);
    const entry = { key: 'k', value, version: 1, sequence: 1, updatedAt: 1 };
    return { record, entry } as unknown as { record: ItemRecordOf<'kv'>; entry: Entry };
  };
  const waits = Promise.withResolvers<void>();
  const client = new AbortController();
  const hub = createLive({ ...options, metrics: createMetrics('gateway') });
  const deps = { live: hub } as unknown as Parameters<typeof answerKey>[0];
  const { entry } = await read();
  const context = {
    request: new Request('http://localhost/', {
      headers: { 'If-None-Match': etagOfEntry(entry) },
      signal: client.signal,
    }),
    query: () => new URLSearchParams('wait=30'),
    isHead: false,
    clientKey: '192.0.2.1',
    releaseSlot: waits.resolve,
    restartDeadline: () => undefined,
  } as unknown as RequestContext;
  const answering = answerKey(deps, context, async () => new Response('again'), read);
  await waits.promise;
  for (let turn = 0; turn < 20 && held?.deref() !== undefined; turn++) {
    await Bun.sleep(10);
    Bun.gc(true);
  }
  expect(held?.deref()).toBeUndefined();
  client.abort();
  expect(await (await answering).text()).toBe('again');
  await hub.leave();
});
