import { expect, test } from 'bun:test';
import { createSemaphore } from '../../services/content/semaphore.ts';
import { errors } from '../../shared/errors.ts';

const refuse = () => errors.refused('searches');
const LATER = (): number => Date.now() + 60_000;

/** Work that ends when it is told to. */
function manualWork() {
  const ends: Array<() => void> = [];
  const run = () => new Promise<number>((resolve) => ends.push(() => resolve(ends.length)));
  return { ends, run };
}

test('runs so many at once, lets so many wait, and sends away the rest', async () => {
  const withPermit = createSemaphore('searches', { running: 2, waiting: 3, refuse });
  const { ends, run } = manualWork();
  const taken = Array.from({ length: 5 }, () => withPermit(LATER(), run));
  await expect(withPermit(LATER(), run)).rejects.toMatchObject({ code: 'UNAVAILABLE', isRefusal: true });
  expect(ends).toHaveLength(2);
  for (let ended = 0; ended < 5; ended++) {
    ends[ended]?.();
    await Promise.resolve(taken[ended]);
    expect(ends.length).toBeLessThanOrEqual(ended + 3);
  }
  await Promise.all(taken);
  const again = withPermit(LATER(), async () => 'free');
  expect(await again).toBe('free');
});

test('a failure releases its permit', async () => {
  const withPermit = createSemaphore('searches', { running: 1, waiting: 1, refuse });
  const failing = withPermit(LATER(), async () => {
    throw new Error('no');
  });
  const next = withPermit(LATER(), async () => 'next');
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('next');
});

test('work whose deadline is past when its permit comes is not started', async () => {
  const withPermit = createSemaphore('searches', { running: 1, waiting: 1, refuse });
  const { ends, run } = manualWork();
  const first = withPermit(LATER(), run);
  let started = false;
  const late = withPermit(Date.now(), async () => {
    started = true;
  });
  ends[0]?.();
  await first;
  await expect(late).rejects.toMatchObject({ code: 'TIMEOUT' });
  expect(started).toBe(false);
});
