import { expect, test } from 'bun:test';
import { createPause } from '../../shared/sweep/pause.ts';

const LONG = 3_600_000;

test('a pause ends when it is cut short', async () => {
  const pause = createPause();
  const waiting = pause.wait(LONG);
  pause.cutShort();
  expect(await waiting).toBe(true);
});

test('a pause that lasts its time was not cut short', async () => {
  expect(await createPause().wait(1)).toBe(false);
});

test('a pause that was cut short before it began does not begin, but the next one does', async () => {
  const pause = createPause();
  pause.cutShort();
  await pause.wait(LONG);
  const next = pause.wait(LONG);
  expect(await Promise.race([next.then(() => 'over'), Bun.sleep(20).then(() => 'waiting')])).toBe('waiting');
  pause.cutShort();
  await next;
});

test('asked for several times, a later cut happens once', async () => {
  const pause = createPause();
  for (let n = 0; n < 5; n++) pause.cutShortIn(1);
  await pause.wait(LONG);
  const next = pause.wait(LONG);
  expect(await Promise.race([next.then(() => 'over'), Bun.sleep(20).then(() => 'waiting')])).toBe('waiting');
  pause.cutShort();
  await next;
});
