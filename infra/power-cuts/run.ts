import { parseArgs } from 'node:util';
import { orEnd, wholeNumber } from '../command-line.ts';
import { FILE_SYSTEMS, type FileSystem } from './disk.ts';
import { cutPower } from './power-cuts.ts';

const USAGE = `npm run power-cuts -- [--cuts n] [--file-system ${FILE_SYSTEMS.join('|')}] [--seed n]
  --cuts         so many (1..10000; 20)
  --file-system  what Perch's data lies on (ext4)
  --seed         another one gives other moments and other traffic (1)
`;

/**
 * Cuts the power of an embedded Perch again and again, and ends with 1 when an acknowledged write is missing afterwards.
 * Wants root and loop devices. A signal lets the cut under way end.
 */
const options = readOptions(process.argv.slice(2));
if (options === null) {
  process.stderr.write(USAGE);
  process.exit(2);
}
const stopping = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => stopping.abort());
const { cuts, writes, startMs, faults } = await orEnd(
  cutPower({
    ...options,
    signal: stopping.signal,
    onProgress: (line) => void process.stdout.write(`${line}\n`),
  }),
);
const sorted = startMs.toSorted((a, b) => a - b);
const seconds = (ms = 0): string => `${(ms / 1_000).toFixed(1)} s`;
process.stdout.write(
  `\n${cuts} power cuts on ${options.fileSystem} with seed ${options.seed}: ${writes.acknowledged} writes acknowledged, ` +
    `${writes.refused} refused, ${writes.unanswered} without an answer; start after a cut ` +
    `${seconds(sorted[Math.floor(sorted.length / 2)])} (median), ${seconds(sorted.at(-1))} (longest).\n` +
    `${faults.length === 0 ? 'No acknowledged write was lost.' : `${faults.length} faults were found:`}\n`,
);
for (const fault of faults) process.stdout.write(`- ${fault}\n`);
process.exit(faults.length > 0 ? 1 : 0);

function readOptions(args: string[]): { cuts: number; fileSystem: FileSystem; seed: number } | null {
  try {
    const { values } = parseArgs({
      args,
      options: {
        cuts: { type: 'string', default: '20' },
        'file-system': { type: 'string', default: 'ext4' },
        seed: { type: 'string', default: '1' },
      },
    });
    const fileSystem = FILE_SYSTEMS.find((one) => one === values['file-system']);
    if (fileSystem === undefined) return null;
    return {
      cuts: wholeNumber(values.cuts, [1, 10_000]),
      fileSystem,
      seed: wholeNumber(values.seed, [0, 2 ** 32 - 1]),
    };
  } catch {
    return null;
  }
}
