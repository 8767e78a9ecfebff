import { expect, test } from 'bun:test';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backoffMs } from '../../shared/backoff.ts';
import { createCountingSemaphore } from '../../shared/counting-semaphore.ts';
import { inLanes } from '../../shared/in-lanes.ts';
import { readExactly } from '../../shared/read-exactly.ts';
import { createSingleFlight } from '../../shared/single-flight.ts';

test('a backoff doubles with each failure, up to the longest wait', () => {
  const backoff = { firstMs: 100, lastMs: 1_000 };
  const waits = [1, 2, 3, 4, 5, 2_000].map((failures) => backoffMs(failures, backoff));
  expect(waits).toEqual([100, 200, 400, 800, 1_000, 1_000]);
});

test('callers at once share one run for each key, its result and its error', async () => {
  const share = createSingleFlight<number>();
  let runs = 0;
  const count = async (): Promise<number> => ++runs;
  expect(await Promise.all([share('a', count), share('b', count), share('a', count)])).toEqual([1, 2, 1]);
  expect(await share('a', count)).toBe(3);
  const fail = async (): Promise<number> => Promise.reject(new Error(`run ${++runs}`));
  const failed = await Promise.allSettled([share('a', fail), share('a', fail)]);
  expect(failed.map((one) => one.status === 'rejected' && String(one.reason))).toEqual([
    'Error: run 4',
    'Error: run 4',
  ]);
  expect(await share('a', count)).toBe(5);
});

test('lanes run so many tasks at once, in order, and begin none after a failure', async () => {
  let running = 0;
  let most = 0;
  const begun: number[] = [];
  const task = async (item: number): Promise<number> => {
    begun.push(item);
    most = Math.max(most, ++running);
    await Bun.sleep(item % 2);
    running -= 1;
    if (item === 4) throw new Error('the fourth');
    return item * 10;
  };
  expect(await inLanes([1, 2, 3], 2, task)).toEqual([10, 20, 30]);
  expect(most).toBe(2);
  begun.length = 0;
  await expect(inLanes([4, 6, 7, 8, 9], 1, task)).rejects.toThrow('the fourth');
  expect(begun).toEqual([4]);
  expect(await inLanes([], 3, task)).toEqual([]);
});

test('a read of a file gives all of the bytes, or fails', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'perch-read-'));
  const path = join(folder, 'file');
  await Bun.write(path, '0123456789');
  const file = await open(path);
  try {
    expect(String(await readExactly(file, 3, Buffer.alloc(7)))).toBe('3456789');
    expect(readExactly(file, 3, Buffer.alloc(8))).rejects.toThrow('the file ended 1 bytes early');
  } finally {
    await file.close();
    await rm(folder, { recursive: true });
  }
});

test('a semaphore gives its permits in order, and none to whoever has given up', async () => {
  const semaphore = createCountingSemaphore(1);
  expect([semaphore.tryAcquire(), semaphore.tryAcquire(), semaphore.isIdle]).toEqual([true, false, false]);
  const got: string[] = [];
  const ask = async (name: string, limitMs?: number): Promise<void> => {
    got.push(`${name} ${await semaphore.acquire(limitMs)}`);
  };
  const impatient = ask('first', 1);
  const others = [ask('second'), ask('third', 60_000)];
  expect(semaphore.waiting).toBe(3);
  await impatient;
  semaphore.release();
  await others[0];
  semaphore.release();
  await Promise.all(others);
  expect(got).toEqual(['first false', 'second true', 'third true']);
  semaphore.release();
  expect([semaphore.isIdle, semaphore.waiting]).toEqual([true, 0]);
});
