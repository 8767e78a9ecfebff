import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { createBlobKeyPool, type Reservation } from '../../shared/items/blob-key-pool.ts';

const VALID_MS = 60_000;
const GRACE_MS = 900_000;

/** A `content` whose keys are numbers, a clock to move, and a way to make reservations fail. */
function createSource() {
  const state = { now: 1_000, asked: 0, failing: false, madeAt: new Map<string, number>() };
  const reserve = async (count: number): Promise<Reservation> => {
    state.asked++;
    const askedAt = state.now;
    await Promise.resolve();
    if (state.failing) throw new Error('content is away');
    const first = state.madeAt.size + 1;
    const keys = Array.from({ length: count }, (_, index) => `key ${first + index}`);
    for (const key of keys) state.madeAt.set(key, askedAt);
    return { keys, validMs: VALID_MS };
  };
  const source = { reserve, trash: async () => undefined };
  return { state, source, clock: { now: () => state.now } };
}

/** Steady time that the test has in its own clock. */
const still = (): number => 0;

/** Early refills run beside the takes. */
const settled = (): Promise<void> => Bun.sleep(0);

test('takers at once share one reservation and get different keys', async () => {
  const { state, source, clock } = createSource();
  const pool = createBlobKeyPool(source, clock, GRACE_MS, still);
  const [first, second] = await Promise.all([pool.take(), pool.take()]);
  expect(first.key).not.toBe(second.key);
  expect(state.asked).toBe(1);
});

test('more takers at once than a reservation holds are all served', async () => {
  const { state, source, clock } = createSource();
  const pool = createBlobKeyPool(source, clock, GRACE_MS, still);
  const keys = await Promise.all(Array.from({ length: 500 }, () => pool.take()));
  expect(new Set(keys.map(({ key }) => key)).size).toBe(500);
  expect(state.asked).toBeLessThan(20);
});

test('the next reservation is made before the keys run out', async () => {
  const { state, source, clock } = createSource();
  const pool = createBlobKeyPool(source, clock, GRACE_MS, still);
  while (state.asked < 2) await pool.take();
  await settled();
  state.failing = true;
  for (let left = 0; left < 60; left++) await pool.take();
});

test('a reservation that fails reaches its takers, and the next take tries again', async () => {
  const { state, source, clock } = createSource();
  const pool = createBlobKeyPool(source, clock, GRACE_MS, still);
  state.failing = true;
  const failed = await Promise.allSettled([pool.take(), pool.take()]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(state.asked).toBe(1);
  state.failing = false;
  expect((await pool.take()).key).toContain('key');
});

test('an early reservation that fails disturbs nobody as long as there are keys', async () => {
  const { state, source, clock } = createSource();
  const pool = createBlobKeyPool(source, clock, GRACE_MS, still);
  await pool.take();
  state.failing = true;
  const taken = [];
  for (let left = 0; left < 63; left++) taken.push((await pool.take()).key);
  await settled();
  expect(new Set(taken).size).toBe(63);
  expect(state.asked).toBeGreaterThan(1);
  await expect(pool.take()).rejects.toThrow('content is away');
});

test('keys that have grown too old are left to the sweeper', async () => {
  const { state, source, clock } = createSource();
  const pool = createBlobKeyPool(source, clock, GRACE_MS, still);
  await pool.take();
  state.now += VALID_MS;
  const { key, until } = await pool.take();
  expect(state.asked).toBe(2);
  expect(state.madeAt.get(key)).toBe(state.now);
  expect(until).toBe(state.now + GRACE_MS);
});

test('a clock that is set back makes no key good for longer, nor a reservation longer', async () => {
  const { state, source, clock } = createSource();
  const steady = { now: 0 };
  const pool = createBlobKeyPool(source, clock, GRACE_MS, () => steady.now);
  const { until } = await pool.take();
  state.now -= 3_600_000;
  steady.now += VALID_MS - 1;
  await pool.take();
  expect(state.asked).toBe(1);
  steady.now += 1;
  await pool.take();
  expect(state.asked).toBe(2);
  expect(pool.clock.now()).toBe(until - GRACE_MS + VALID_MS);
  // Steady time stands still while the machine sleeps.
  state.now += 3_600_000 + 2 * VALID_MS;
  await pool.take();
  expect(state.asked).toBe(3);
});

test('the time a reservation took is time its keys have lost', async () => {
  const { state, source, clock } = createSource();
  const slow = async (count: number): Promise<Reservation> => {
    const reservation = await source.reserve(count);
    state.now += VALID_MS - 1;
    return reservation;
  };
  const pool = createBlobKeyPool({ ...source, reserve: slow }, clock, GRACE_MS, still);
  await pool.take();
  expect(state.asked).toBe(1);
  state.now += 1;
  await pool.take();
  expect(state.asked).toBe(2);
});

test('a reservation that took longer than its keys are good fails its takers, and is not asked for in a loop', async () => {
  const { state, source, clock } = createSource();
  let takesMs = VALID_MS;
  const slow = async (count: number): Promise<Reservation> => {
    if (state.asked > 10) throw new Error('asked in a loop');
    const reservation = await source.reserve(count);
    state.now += takesMs;
    return reservation;
  };
  const pool = createBlobKeyPool({ ...source, reserve: slow }, clock, GRACE_MS, still);
  const failed = await Promise.allSettled([pool.take(), pool.take()]);
  const expected = { status: 'rejected', reason: { code: 'UNAVAILABLE' } };
  expect(failed).toMatchObject([expected, expected]);
  expect(state.asked).toBe(1);
  takesMs = 0;
  expect((await pool.take()).key).toBe('key 128');
});

test('no key is given twice or too late, whatever happens in between', async () => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ take: fc.integer({ min: 1, max: 80 }) }) },
    { weight: 2, arbitrary: fc.record({ wait: fc.integer({ min: 1, max: VALID_MS }) }) },
    { weight: 1, arbitrary: fc.record({ failing: fc.boolean() }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const { state, source, clock } = createSource();
      const pool = createBlobKeyPool(source, clock, GRACE_MS, still);
      const taken = new Set<string>();
      for (const next of steps) {
        if ('wait' in next) state.now += next.wait;
        if ('failing' in next) state.failing = next.failing;
        if (!('take' in next)) continue;
        const results = await Promise.allSettled(Array.from({ length: next.take }, () => pool.take()));
        // A caller that joins an earlier reservation shares its outcome, whatever the time is.
        await settled();
        for (const result of results) {
          if (result.status === 'rejected') {
            expect(state.failing).toBe(true);
            continue;
          }
          const { key, until } = result.value;
          expect(taken.has(key)).toBe(false);
          taken.add(key);
          const madeAt = state.madeAt.get(key) ?? 0;
          expect(state.now - madeAt).toBeLessThan(VALID_MS);
          // Counted from the oldest of the keys that are there with it.
          expect(until).toBeLessThanOrEqual(madeAt + GRACE_MS);
          expect(until).toBeGreaterThan(state.now + GRACE_MS - VALID_MS);
        }
      }
    }),
    { numRuns: 60 },
  );
});

test('no key from before a discard is handed out, also of a reservation under way', async () => {
  const { state, source, clock } = createSource();
  const pool = createBlobKeyPool(source, clock, GRACE_MS, still);
  await pool.take();
  pool.discard();
  expect((await pool.take()).key).toBe('key 128');
  pool.discard();
  const taken = pool.take();
  pool.discard();
  // Keys 129 to 192 were asked for before, and are left to the sweeper.
  expect((await taken).key).toBe('key 256');
  expect(state.asked).toBe(4);
});
