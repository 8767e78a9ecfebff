import { expect, test } from 'bun:test';
import pino from 'pino';
import { createInProcessBus } from '../../shared/adapters/bus/in-process.ts';
import { type BusBounds, boundBus } from '../../shared/contracts/bounded-bus.ts';
import { createLoadShedding } from '../../shared/load-shedding.ts';
import { createMetrics } from '../../shared/metrics.ts';

const bytes = (length: number) => new Uint8Array(length);
const OPTIONS = { timeoutMs: 5_000 };

/** A bus with a handler that answers when it is told to. */
async function startBus(bounds: Partial<BusBounds>) {
  const loadShedding = createLoadShedding(pino({ level: 'silent' }));
  const all = { requests: 100, operations: 100, operationBytes: 1_000, ...bounds };
  const bus = boundBus(createInProcessBus({ maxPayloadBytes: 10_000 }), all, loadShedding);
  let gate = Promise.withResolvers<void>();
  const handler = async (): Promise<Uint8Array> => {
    await gate.promise;
    return bytes(1);
  };
  for (const subject of ['service.work', 'service.ping']) await bus.serve(subject, 'service', handler);
  const ask = async (length = 1, subject = 'service.work'): Promise<string> => {
    const reply = await bus.request(subject, bytes(length), OPTIONS).catch((error: unknown) => error);
    if (!(reply instanceof Uint8Array)) return `refused here: ${(reply as { code: string }).code}`;
    if (reply.length === 1) return 'done';
    const { error } = JSON.parse(new TextDecoder().decode(reply)) as {
      error: { code: string; retryAfter: number };
    };
    return `refused there: ${error.code}, again after ${error.retryAfter}`;
  };
  const metrics = createMetrics('test');
  loadShedding.observe(metrics);
  return {
    ask,
    /** Answers all waiting requests. Later ones wait again. */
    answer() {
      gate.resolve();
      gate = Promise.withResolvers();
    },
    counted: async () =>
      (await (await metrics.render()).text())
        .split('\n')
        .filter((line) => line.startsWith('refusals_total') && !line.endsWith(' 0')),
  };
}

const HERE = 'refused here: UNAVAILABLE';
const THERE = 'refused there: UNAVAILABLE, again after 2';

test('above the bound requests are refused by the sender, and counted; then there is room again', async () => {
  const { ask, answer, counted } = await startBus({ requests: 3 });
  const asked = Array.from({ length: 5 }, () => ask());
  expect(await Promise.all(asked.slice(3))).toEqual([HERE, HERE]);
  answer();
  expect(await Promise.all(asked)).toEqual(['done', 'done', 'done', HERE, HERE]);
  const again = ask();
  answer();
  expect(await again).toBe('done');
  expect(await counted()).toEqual(['refusals_total{queue="bus-requests",service="test"} 2']);
});

test('above the bound operations are refused by the service, with a time to try again', async () => {
  const { ask, answer, counted } = await startBus({ operations: 2 });
  const asked = [ask(), ask(), ask()];
  expect(await asked[2]).toBe(THERE);
  answer();
  expect(await Promise.all(asked)).toEqual(['done', 'done', THERE]);
  const again = ask();
  answer();
  expect(await again).toBe('done');
  expect(await counted()).toEqual(['refusals_total{queue="operations",service="test"} 1']);
});

test('the bytes of operations under way are bounded; one that is larger goes alone', async () => {
  const { ask, answer } = await startBus({ operationBytes: 100 });
  const asked = [ask(60), ask(40), ask(1)];
  expect(await asked[2]).toBe(THERE);
  answer();
  expect(await Promise.all(asked)).toEqual(['done', 'done', THERE]);
  const alone = [ask(101), ask(1)];
  expect(await alone[1]).toBe(THERE);
  answer();
  expect(await alone[0]).toBe('done');
});

test('whether a service answers is asked and told all the same', async () => {
  const { ask, answer } = await startBus({ requests: 1, operations: 1 });
  const asked = [ask(), ask(1, 'service.ping'), ask(1, 'service.ping')];
  await Bun.sleep(0);
  answer();
  expect(await Promise.all(asked)).toEqual(['done', 'done', 'done']);
});
