import { expect, test } from 'bun:test';
import type { Server } from 'bun';
import type { Blocklist } from '../../../services/gateway/admission/blocklist.ts';
import type { GatewayDependencies } from '../../../services/gateway/dependencies.ts';
import { createHotPuts } from '../../../services/gateway/kinds/kv/hot-puts/hot-puts.ts';
import { inMessages } from '../../../services/gateway/kinds/kv/hot-puts/put-messages.ts';

/** Whether the fast path leaves a plain put to the normal one, and how often it looked into the blocklist for that. */
function take({ isOverLimit, isBlocked }: { isOverLimit: boolean; isBlocked: boolean }) {
  let looks = 0;
  const blocklist: Pick<Blocklist, 'mayRefuse'> = {
    mayRefuse() {
      looks += 1;
      return isBlocked;
    },
  };
  const deps = {
    blocklist,
    config: { trustProxy: 0 },
    limits: { limitOf: () => 1, refuses: () => isOverLimit },
  } as unknown as GatewayDependencies;
  const answers = {
    find: () => ({
      headers: new Headers(),
      setRateHeaders: () => undefined,
      baseUrl: 'http://perch.example',
    }),
    keep: () => undefined,
  };
  const server = { requestIP: () => ({ address: '10.0.0.9' }) } as unknown as Server<unknown>;
  const request = new Request('http://perch.example/api/kv/public/store/key', {
    method: 'PUT',
    body: '{"value":1}',
    headers: { 'Content-Length': '11', 'X-Owner-Token': 'token', 'User-Agent': 'Tests/1' },
  });
  const hotPuts = createHotPuts(deps, answers, async () => new Response());
  return { left: hotPuts.take(request, server) === null, looks };
}

test('a put of a client over its limit is left to the normal path without a look into the blocklist', () => {
  for (const isBlocked of [true, false])
    expect(take({ isOverLimit: true, isBlocked })).toEqual({ left: true, looks: 0 });
  expect(take({ isOverLimit: false, isBlocked: true })).toEqual({ left: true, looks: 1 });
});

test('several puts of one key travel in a message of their own, in their order, and all others in one', () => {
  const put = (id: string, key: string, value: number) => ({
    write: { namespace: 'public', id, key },
    value,
  });
  const hot = [put('one', 'k', 1), put('one', 'k', 2), put('one', 'k', 3)] as const;
  const twice = [put('two', 'k', 4), put('two', 'k', 5)] as const;
  const others = [put('three', 'k', 6), put('one', 'other', 7)] as const;
  const puts = [hot[0], others[0], twice[0], hot[1], others[1], twice[1], hot[2]];
  expect(inMessages(puts)).toEqual([[...others], [...hot], [...twice]]);
  expect(inMessages([...hot])).toEqual([[...hot]]);
  expect(inMessages([])).toEqual([]);
});
