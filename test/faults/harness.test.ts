import { expect, setDefaultTimeout, test } from 'bun:test';
import { runHarness } from '../../infra/faults/harness.ts';

setDefaultTimeout(900_000);

/** `npm run faults` in short: every kind of fault, of a service, a server and a link; kills and pauses twice. */
test('what is killed, paused or cut off under load loses nothing that was acknowledged', async () => {
  const lines: string[] = [];
  const { cycles, findings, blobs } = await runHarness({
    cycles: 1,
    strikes: 2,
    seed: 1,
    quick: true,
    only: ['kv', 'content-postgres', 'renderer'],
    kinds: ['kill', 'pause', 'latency', 'cut', 'reset', 'half-open', 'busy'],
    onProgress: (line) => lines.push(line),
  });
  expect(findings, lines.join('\n')).toEqual([]);
  expect(cycles.map(({ plan }) => `${plan.component.name} ${plan.fault}`).toSorted()).toEqual([
    'content-postgres cut',
    'content-postgres half-open',
    'content-postgres latency',
    'content-postgres reset',
    'kv kill',
    'kv pause',
    'renderer busy',
  ]);
  for (const { plan, recoveriesMs } of cycles) {
    const isRepeated = plan.fault === 'kill' || plan.fault === 'pause';
    expect([plan.fault, recoveriesMs.length]).toEqual([plan.fault, isRepeated ? 2 : 1]);
  }
  for (const { writes } of cycles) expect(writes.acknowledged).toBeGreaterThan(10);
  expect(blobs).toBeGreaterThan(10);
});
