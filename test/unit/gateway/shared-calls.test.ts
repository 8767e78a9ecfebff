import { expect, test } from 'bun:test';
import pino from 'pino';
import { createSharedCalls } from '../../../services/gateway/items/shared-calls.ts';
import { createInProcessBus } from '../../../shared/adapters/bus/in-process.ts';
import { resolveItem } from '../../../shared/contracts/content.ts';
import { handler, serve } from '../../../shared/contracts/serve.ts';
import { steadyNow } from '../../../shared/deadline.ts';

const ITEM = { namespace: 'public', id: 'item' };
const LATER = { ...ITEM, version: 2, expiresAt: 1, state: 'removed' as const, kind: 'html' as const };
const TIMEOUT = { code: 'TIMEOUT' };
const until = (ms: number) => ({ requestId: 'test', deadline: steadyNow() + ms });

/** Shared calls to a service that answers when it is told to. */
async function sharedCalls() {
  const bus = createInProcessBus({ maxPayloadBytes: 1_048_576 });
  const answer = Promise.withResolvers<void>();
  let asked = 0;
  const operation = handler(resolveItem, async () => {
    asked += 1;
    const record = asked === 1 ? null : LATER;
    await answer.promise;
    return { record };
  });
  await serve(bus, 'test', [operation], pino({ level: 'silent' }));
  const share = createSharedCalls(bus, resolveItem);
  return { ask: (ms: number) => share('item', ITEM, until(ms)), asked: () => asked, answer: answer.resolve };
}

test('who asks while a call is under way shares the next one, in their own time', async () => {
  const { ask, asked, answer } = await sharedCalls();
  const first = ask(50);
  const others = [ask(60_000), ask(60_000)];
  await expect(first).rejects.toMatchObject(TIMEOUT);
  expect(asked()).toBe(1);
  answer();
  expect(await Promise.all(others)).toEqual([{ record: LATER }, { record: LATER }]);
  expect(asked()).toBe(2);
});

test('who has less time than the first gives up alone', async () => {
  const { ask, answer } = await sharedCalls();
  const first = ask(60_000);
  await expect(ask(50)).rejects.toMatchObject(TIMEOUT);
  answer();
  expect(await first).toEqual({ record: null });
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
