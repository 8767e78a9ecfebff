import { expect, test } from 'bun:test';
import { createInProcessBus } from '../../shared/adapters/bus/in-process.ts';
import { createMetrics } from '../../shared/metrics.ts';
import type { EventMessage, EventStream } from '../../shared/ports/event-stream.ts';
import { countMessages, countRequests } from '../../shared/work-metrics.ts';

const SOON = { timeoutMs: 5_000 };
const nothing = new Uint8Array(0);

test('counts what was answered by operation, and what is under way, but no pings', async () => {
  const metrics = createMetrics('kv');
  const inner = createInProcessBus({ maxPayloadBytes: 100 });
  const bus = countRequests(inner, metrics);
  const release = Promise.withResolvers<void>();
  await bus.serve('kv.put', 'kv', async (payload) => {
    await release.promise;
    return payload;
  });
  await bus.serve('kv.ping', 'kv', async (payload) => payload);
  await inner.request('kv.ping', nothing, SOON);
  const asked = [inner.request('kv.put', nothing, SOON), inner.request('kv.put', nothing, SOON)];
  const text = async () => await (await metrics.render()).text();
  expect(await text()).toContain('bus_requests_under_way{service="kv"} 2');
  release.resolve();
  await Promise.all(asked);
  const after = await text();
  expect(after).toContain('bus_requests_total{operation="kv.put",service="kv"} 2');
  expect(after).toContain('bus_requests_under_way{service="kv"} 0');
  expect(after).not.toContain('kv.ping');
});

test('counts the messages of the event stream once they are dealt with', async () => {
  const metrics = createMetrics('analytics');
  const handed: Array<(messages: EventMessage[]) => Promise<void>> = [];
  const stream: EventStream = {
    publish: async () => undefined,
    consume: async (_, handler) => {
      handed.push(handler);
      return { drain: async () => undefined };
    },
    waiting: async () => 0,
    check: async () => undefined,
    close: async () => undefined,
  };
  let fails = true;
  await countMessages(stream, metrics).consume({ maxMessages: 5 }, async () => {
    if (fails) throw new Error('not now');
  });
  const [hand] = handed;
  const messages = [1, 2, 3].map((n) => ({ id: String(n), bytes: nothing }));
  await expect(hand?.(messages)).rejects.toThrow('not now');
  fails = false;
  await hand?.(messages);
  expect(await (await metrics.render()).text()).toContain('event_messages_total{service="analytics"} 3');
});
