import { readFile, rename, writeFile } from 'node:fs/promises';
import type { RunOptions } from './options.ts';

/** A cycle in which something was found: all that its plan depends on, and its number. */
export type KeptCycle = Pick<
  RunOptions,
  'seed' | 'cycles' | 'cyclesOf' | 'only' | 'kinds' | 'strikes' | 'quick' | 'isHa'
> & { repeat: [number] };

/** The kept cycles of a file; none when it is not there. @throws Error for a file that is not a list of them */
export async function readKeptCycles(file: string): Promise<KeptCycle[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '[]';
    throw error;
  });
  const list: unknown = JSON.parse(text);
  if (!Array.isArray(list)) throw new Error(`${file} holds no list of cycles`);
  return list as KeptCycle[];
}

/** Adds cycles of a run to a file, each once. The file is replaced as a whole, so that a crash leaves it as it was. */
export async function keepCycles(
  file: string,
  { seed, cycles, cyclesOf, only, kinds, strikes, quick, isHa }: RunOptions,
  numbers: readonly number[],
): Promise<void> {
  if (numbers.length === 0) return;
  const kept = await readKeptCycles(file);
  const added = numbers.map(
    (number): KeptCycle => ({ seed, cycles, cyclesOf, only, kinds, strikes, quick, isHa, repeat: [number] }),
  );
  const known = new Set(kept.map((one) => JSON.stringify(one)));
  const all = [...kept, ...added.filter((one) => !known.has(JSON.stringify(one)))];
  await writeFile(`${file}.new`, `${JSON.stringify(all, null, 2)}\n`);
  await rename(`${file}.new`, file);
}
