import { expect, setDefaultTimeout, test } from 'bun:test';
import { runHarness } from '../../infra/faults/harness.ts';

setDefaultTimeout(900_000);

/** Longest time until all works again without the server that died, in ms (docs/availability.md). */
const PROMISED_MS = 15_000;

/** `npm run faults -- --ha` in short: of each kind of server the one that leads. */
test('the server that leads dies under load: another one takes over in time, and nothing acknowledged is lost', async () => {
  const lines: string[] = [];
  const { cycles, findings } = await runHarness({
    cycles: 1,
    seed: 1,
    quick: true,
    isHa: true,
    kinds: ['kill'],
    only: ['postgres-primary', 'redis-primary', 'nats-leader'],
    onProgress: (line) => lines.push(line),
  });
  expect(findings, lines.join('\n')).toEqual([]);
  expect(cycles).toHaveLength(3);
  for (const { writes, recoveriesMs } of cycles) {
    expect(writes.acknowledged).toBeGreaterThan(10);
    for (const ms of recoveriesMs) expect(ms ?? Number.POSITIVE_INFINITY).toBeLessThan(PROMISED_MS);
  }
});
