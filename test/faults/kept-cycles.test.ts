import { expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { runHarness } from '../../infra/faults/harness.ts';
import { readKeptCycles } from '../../infra/faults/report.ts';

setDefaultTimeout(300_000);

const kept = await readKeptCycles(join(import.meta.dirname, 'kept-cycles.json'));

/** `npm run faults -- --seed new --keep` adds to the list what it finds: it stays there once it is mended. */
test.each(kept)('cycle %p, in which something was found once, ends without a finding', async (cycle) => {
  const lines: string[] = [];
  const { cycles, findings } = await runHarness({ ...cycle, onProgress: (line) => lines.push(line) });
  expect(cycles).toHaveLength(1);
  expect(findings, lines.join('\n')).toEqual([]);
});
