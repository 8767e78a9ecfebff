import { expect, test } from 'bun:test';
import { acquireRepairLease } from '../../shared/items/repair-pass.ts';
import { advanceWatermark } from '../../shared/items/watermarks.ts';
import { useKvOperations } from './kv-operations.ts';

const kv = useKvOperations();

const INTERVAL_MS = 60_000;
const NOTHING = { done: 0, more: false };
const reached = 1_000_000_000;

/** A process asks for the lease this many ms after the previous pass began. */
const askAfter = (ms: number, urgent: boolean, name = crypto.randomUUID()) =>
  kv.deps.sql.begin(async (tx) => {
    await acquireRepairLease(tx, name, { now: reached, urgent: true, intervalMs: INTERVAL_MS });
    await advanceWatermark(tx, name, reached);
    return acquireRepairLease(tx, name, { now: reached + ms, urgent, intervalMs: INTERVAL_MS });
  });

test('the first pass of all begins at the beginning', async () => {
  const turn = kv.deps.sql.begin((tx) =>
    acquireRepairLease(tx, 'first', { now: reached, urgent: false, intervalMs: INTERVAL_MS }),
  );
  expect(await turn).toBe(0);
});

test('a pass is not needed within half an interval of the one before', async () => {
  for (const ms of [0, 1, INTERVAL_MS / 2 - 1]) expect(await askAfter(ms, false)).toEqual(NOTHING);
  for (const ms of [INTERVAL_MS / 2, INTERVAL_MS / 2 + 1, 10 * INTERVAL_MS])
    expect(await askAfter(ms, false)).toBe(reached);
});

test('it is when a process knows of something to repair, or the one before had another clock', async () => {
  for (const ms of [0, 1, INTERVAL_MS]) expect(await askAfter(ms, true)).toBe(reached);
  expect(await askAfter(-1, false)).toBe(reached);
});

test('of two at once one has the turn; the other asks again if it is urgent', async () => {
  const name = 'two-at-once';
  const ask = (urgent: boolean) =>
    kv.deps.sql.begin((tx) =>
      acquireRepairLease(tx, name, { now: reached, urgent, intervalMs: INTERVAL_MS }),
    );
  expect(await ask(false)).toBe(0);
  await kv.deps.sql.begin(async (tx) => {
    await acquireRepairLease(tx, name, { now: reached, urgent: false, intervalMs: INTERVAL_MS });
    expect(await ask(false)).toEqual({ ...NOTHING, retry: false });
    expect(await ask(true)).toEqual({ ...NOTHING, retry: true });
  });
});
