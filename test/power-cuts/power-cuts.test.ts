import { expect, setDefaultTimeout, test } from 'bun:test';
import { FILE_SYSTEMS } from '../../infra/power-cuts/disk.ts';
import { cutPower } from '../../infra/power-cuts/power-cuts.ts';

setDefaultTimeout(600_000);

const CUTS = 5;

/** `npm run power-cuts` in short, at other moments each time. */
for (const fileSystem of FILE_SYSTEMS)
  test(`the power is cut ${CUTS} times on ${fileSystem}: every acknowledged write is there`, async () => {
    const seed = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
    const lines: string[] = [];
    const { cuts, writes, faults } = await cutPower({
      cuts: CUTS,
      fileSystem,
      seed,
      onProgress: (line) => lines.push(line),
    });
    expect(faults, `seed ${seed}\n${lines.join('\n')}`).toEqual([]);
    expect(cuts).toBe(CUTS);
    expect(writes.acknowledged).toBeGreaterThan(4 * CUTS);
    expect(writes.unanswered).toBeGreaterThan(0);
  });
