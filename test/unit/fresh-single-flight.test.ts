import { expect, test } from 'bun:test';
import { createFreshSingleFlight } from '../../shared/single-flight.ts';

/** Lets promises that are settled have their say. */
const turn = () => Bun.sleep(0);

/** Work whose runs the test ends, one after the other. */
function heldWork() {
  const runs: Array<{ key: string; end: (value: string) => void; fail: (error: Error) => void }> = [];
  const share = createFreshSingleFlight<string>();
  const ask = (key: string) =>
    share(key, () => {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      runs.push({ key, end: resolve, fail: reject });
      return promise;
    });
  return { runs, ask };
}

test('who asks while the work runs shares the next run, and never one from before', async () => {
  const { runs, ask } = heldWork();
  const first = ask('a');
  const [second, third] = [ask('a'), ask('a')];
  expect(runs).toHaveLength(1);
  runs[0]?.end('one');
  expect(await first).toBe('one');
  await turn();
  expect(runs).toHaveLength(2);
  const fourth = ask('a');
  runs[1]?.end('two');
  expect(await Promise.all([second, third])).toEqual(['two', 'two']);
  await turn();
  expect(runs).toHaveLength(3);
  runs[2]?.end('three');
  expect(await fourth).toBe('three');
  await turn();
  void ask('a');
  expect(runs).toHaveLength(4);
});

test('keys do not wait for one another', async () => {
  const { runs, ask } = heldWork();
  void ask('a');
  const other = ask('b');
  runs[1]?.end('b');
  expect(await other).toBe('b');
});

test('a failure is that of its own run only', async () => {
  const { runs, ask } = heldWork();
  const first = ask('a');
  const second = ask('a');
  runs[0]?.fail(new Error('away'));
  await expect(first).rejects.toThrow('away');
  await turn();
  runs[1]?.end('fine');
  expect(await second).toBe('fine');
});
