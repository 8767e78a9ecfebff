import { describe, expect, test } from 'bun:test';
import { atDepth } from '../depth.ts';
import type { Client } from './support/client.ts';
import { atOnce } from './support/concurrency.ts';
import {
  getKey,
  keyPath,
  type PublishedStore,
  publishStore,
  putKey,
  type ReadKey,
  removeKey,
  resolveKey,
  setKey,
} from './support/kv-client.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

/** Values below and above what the cache keeps, in turns. */
const valueOfRound = (round: number): unknown => ({
  round,
  filling: 'x'.repeat(round % 2 === 0 ? 10 : 66_000),
});

const LANES = atDepth(5, 2);
const ROUNDS = 100;

/** Reads a key: the round of its value, or `null` when the key is not there. */
async function roundOf(client: Client, store: PublishedStore, key: string, byApi: boolean) {
  const answer = byApi ? await client.request(keyPath(store, key)) : await resolveKey(client, store, key);
  if (answer.status === 404) return null;
  if (answer.status !== 200) throw new Error(`a read got ${answer.status}: ${await answer.text()}`);
  const body = (await answer.json()) as ReadKey | { round: number };
  const { round } = ('round' in body ? body : body.value) as { round: number };
  return round;
}

/** Reads one key over and over; says when a value was older than one known before the request. */
async function poll(
  client: Client,
  store: PublishedStore,
  key: string,
  state: { round: number; done: boolean },
) {
  const faults: string[] = [];
  let reads = 0;
  for (let seen = 0; !state.done; reads++) {
    const known = Math.max(seen, state.round);
    const round = await roundOf(client, store, key, reads % 2 === 0);
    if (round !== null && round < known) faults.push(`${round} after ${known}`);
    seen = Math.max(seen, round ?? 0);
  }
  return { faults, reads };
}

describe('who reads on another gateway', () => {
  test(`gets the new value with the very next request, ${LANES * ROUNDS} times`, async () => {
    const store = await publishStore(perch, { key: 'lane-0', value: valueOfRound(0) });
    const faults = await atOnce(LANES, async (lane) => {
      const key = `lane-${lane}`;
      const found: string[] = [];
      const state = { round: 0, done: false };
      await putKey(perch, store, key, valueOfRound(0));
      const poller = poll(lane % 2 === 0 ? perch.last : perch, store, key, state);
      for (let round = 1; round <= ROUNDS; round++) {
        // A read that is under way when the value changes must not be taken for the answer to a later one.
        const before = roundOf(perch.last, store, key, true);
        const answer = await putKey(perch, store, key, valueOfRound(round));
        if (answer.status !== 200) found.push(`round ${round}: ${answer.status}`);
        state.round = round;
        const seen = await roundOf(perch.last, store, key, round % 4 < 2);
        if (seen !== round) found.push(`${seen} after ${round}`);
        await before;
      }
      state.done = true;
      const polled = await poller;
      return [...found, ...polled.faults, ...(polled.reads > ROUNDS / 4 ? [] : ['the poller hardly polled'])];
    });
    expect(faults.flat()).toEqual([]);
  }, 180_000);

  test('finds nothing with the very next request after a removal, 100 times', async () => {
    const store = await publishStore(perch);
    const faults = await atOnce(LANES, async (lane) => {
      const found: string[] = [];
      const key = `lane-${lane}`;
      for (let round = 1; round <= 20; round++) {
        await setKey(perch, store, key, valueOfRound(round));
        const before = roundOf(perch.last, store, key, true);
        expect(await roundOf(perch.last, store, key, round % 4 < 2)).toBe(round);
        expect((await removeKey(perch, store, key)).status).toBe(204);
        const seen = await roundOf(perch.last, store, key, round % 4 < 2);
        if (seen !== null) found.push(`${seen} after the removal`);
        await before;
        if ((await roundOf(perch.last, store, key, round % 4 >= 2)) !== null) found.push('it came back');
      }
      return found;
    });
    expect(faults.flat()).toEqual([]);
  }, 180_000);
});

describe('thirty writers of one key', () => {
  for (const [name, filling] of Object.entries({ short: '', long: 'x'.repeat(66_000) }))
    test(`of a ${name} value leave no gap, and the last version everywhere`, async () => {
      const store = await publishStore(perch, { value: 'start' });
      for (let round = 0; round < 3; round++) {
        const first = 2 + 30 * round;
        const answers = await atOnce(30, (n) =>
          putKey(n % 2 === 0 ? perch : perch.last, store, 'first', { round, n, filling }),
        );
        const written = await Promise.all(
          answers.map(async (answer, n) => ({
            n,
            ...((await answer.json()) as { version: number; created: boolean; updatedAt: string }),
            etag: answer.headers.get('ETag') ?? '',
          })),
        );
        const inOrder = written.toSorted((a, b) => a.version - b.version);
        expect(inOrder.map(({ version }) => version)).toEqual(
          Array.from({ length: 30 }, (_, n) => first + n),
        );
        expect(new Set(written.map(({ etag }) => etag)).size).toBe(30);
        const last = inOrder.at(-1);
        for (const client of perch.clients)
          for (let read = 0; read < 3; read++) {
            const { value, version, updatedAt } = await getKey(client, store, 'first');
            expect({ version, updatedAt }).toEqual({
              version: last?.version ?? 0,
              updatedAt: last?.updatedAt ?? '',
            });
            expect(value).toEqual({ round, n: last?.n ?? -1, filling });
            const bare = await resolveKey(client, store, 'first');
            expect(bare.headers.get('ETag')).toBe(last?.etag ?? '');
            expect(await bare.json()).toEqual({ round, n: last?.n ?? -1, filling });
          }
      }
    }, 180_000);

  test('some of whom remove it leave all gateways of one mind', async () => {
    const store = await publishStore(perch);
    for (let round = 0; round < 5; round++) {
      await atOnce(30, (n) => {
        const client = n % 2 === 0 ? perch : perch.last;
        return n % 3 === 0 ? removeKey(client, store, 'first') : putKey(client, store, 'first', { round: n });
      });
      const seen = await Promise.all(
        perch.clients.flatMap((client) =>
          [true, false].map((byApi) => roundOf(client, store, 'first', byApi)),
        ),
      );
      expect(new Set(seen).size).toBe(1);
    }
  }, 180_000);
});
