import { expect, test } from 'bun:test';
import pino from 'pino';
import { createSharedCalls } from '../../../services/gateway/items/shared-calls.ts';
import { createInProcessBus } from '../../../shared/adapters/bus/in-process.ts';
import { resolveItem } from '../../../shared/contracts/content.ts';
import { serve, served } from '../../../shared/contracts/serve.ts';
import { steadyNow } from '../../../shared/deadline.ts';

const ITEM = { namespace: 'public', id: 'item' };
const TIMEOUT = { code: 'TIMEOUT' };
const until = (ms: number) => ({ requestId: 'test', deadline: steadyNow() + ms });

/** Shared calls to a service that answers when it is told to. */
async function sharedCalls() {
  const bus = createInProcessBus({ maxPayloadBytes: 1_048_576 });
  const answer = Promise.withResolvers<void>();
  let asked = 0;
  const operation = served(resolveItem, async () => {
    asked += 1;
    await answer.promise;
    return { record: null };
  });
  await serve(bus, 'test', [operation], pino({ level: 'silent' }));
  const share = createSharedCalls(bus, resolveItem);
  return { ask: (ms: number) => share('item', ITEM, until(ms)), asked: () => asked, answer: answer.resolve };
}

test('who joins a question waits as long as they have time, not as long as the first had', async () => {
  const { ask, asked, answer } = await sharedCalls();
  const first = ask(50);
  const second = ask(60_000);
  await expect(first).rejects.toMatchObject(TIMEOUT);
  answer();
  expect(await second).toEqual({ record: null });
  expect(asked()).toBe(1);
});

test('who has less time than the first gives up alone', async () => {
  const { ask, asked, answer } = await sharedCalls();
  const first = ask(60_000);
  await expect(ask(50)).rejects.toMatchObject(TIMEOUT);
  answer();
  expect(await first).toEqual({ record: null });
  expect(asked()).toBe(1);
});

test('who has no time left asks nothing, and a question that is answered is asked anew', async () => {
  const { ask, asked, answer } = await sharedCalls();
  await expect(ask(-1)).rejects.toMatchObject(TIMEOUT);
  expect(asked()).toBe(0);
  answer();
  await ask(60_000);
  await ask(60_000);
  expect(asked()).toBe(2);
});
