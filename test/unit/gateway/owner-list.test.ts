import { expect, test } from 'bun:test';
import { Value } from '@sinclair/typebox/value';
import pino from 'pino';
import type { ReadDependencies } from '../../../services/gateway/items/dependencies.ts';
import { answerOwnerList, MAX_LISTED } from '../../../services/gateway/items/owner-list.ts';
import { createInProcessBus } from '../../../shared/adapters/bus/in-process.ts';
import { listKv } from '../../../shared/contracts/kv.ts';
import { handler, serve } from '../../../shared/contracts/serve.ts';
import { contextWith } from './request-context.ts';

const log = pino({ level: 'silent' });

/** The answer to an owner of so many stores, and how many the service was asked for. */
async function listOf(total: number, query: string, hold: (bytes: number) => void = () => undefined) {
  const bus = createInProcessBus({ maxPayloadBytes: 8 * 1_048_576 });
  const one = Value.Create(listKv.reply.properties.items.items);
  let told = 0;
  const answer = handler(listKv, async ({ offset, limit }) => {
    const begin = Math.max(told, offset);
    const count = Math.max(0, Math.min(limit, total - begin));
    told = begin + count;
    return { items: Array.from({ length: count }, () => one), total };
  });
  await serve(bus, 'test', [answer], log);
  const deps = {
    bus,
    cache: { viewsOf: async (items: unknown[]) => items.map(() => 0) },
    limits: { admit: async () => undefined },
    responseMemory: {
      hold: async (_: unknown, bytes: number) => hold(bytes),
      holdMade: () => undefined,
    },
  } as unknown as ReadDependencies;
  const context = contextWith(null, { 'X-Owner-Token': 'own_of-many-stores' });
  Object.assign(context, { search: query });
  const response = await answerOwnerList(deps, context, listKv, ({ id }) => ({ id })).catch(() => null);
  if (response === null) return { count: null, total: null, told };
  const items = (await response.json()) as unknown[];
  return { count: items.length, total: response.headers.get('X-Total-Count'), told };
}

test('without a page the newest are listed, up to a bound', async () => {
  for (const total of [0, MAX_LISTED - 1, MAX_LISTED]) {
    expect(await listOf(total, '')).toEqual({ count: total, total: String(total), told: total });
  }
  const tooMany = { count: MAX_LISTED, total: String(MAX_LISTED + 1), told: MAX_LISTED };
  expect(await listOf(MAX_LISTED + 1, '')).toEqual(tooMany);
});

test('a page holds as many as it asks for', async () => {
  expect(await listOf(25_000, 'page=2&size=700')).toEqual({ count: 700, total: '25000', told: 1_400 });
});

test('of more than a batch, room for all is found before the second batch is asked for', async () => {
  const held: number[] = [];
  const noRoom = (bytes: number): never => {
    held.push(bytes);
    throw new Error('no room');
  };
  expect(await listOf(499, '', noRoom)).toMatchObject({ count: 499 });
  expect(held).toEqual([]);
  expect(await listOf(MAX_LISTED + 1, '', noRoom)).toEqual({ count: null, total: null, told: 500 });
  expect(await listOf(25_000, 'page=2&size=700', noRoom)).toMatchObject({ told: 1_200 });
  expect(held).toEqual([MAX_LISTED * 1_024, 700 * 1_024]);
});
