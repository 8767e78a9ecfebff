import { readFile, rename, writeFile } from 'node:fs/promises';
import { errorCode } from '../../shared/error-code.ts';
import type { Finding } from '../load/findings.ts';
import type { CycleResult } from './cycle.ts';
import type { HarnessResult } from './harness.ts';
import type { RunOptions } from './options.ts';

const HEAD = [
  ...['hit', 'fault', 'times', 'writes acknowledged', 'lost', 'unanswered', 'refused'],
  ...['longest request', 'recovery: median', 'worst'],
];

/**
 * The faults and their effects, as Markdown.
 * @param commandOf the command that repeats a cycle, by its number
 */
export function reportOf(
  { cycles, findings, rowsLost, blobs, blobsLeft }: HarnessResult,
  seed: number,
  commandOf: (cycle: number) => string,
): string {
  const rows = [...Map.groupBy(cycles, ({ plan }) => `${plan.component.name}|${plan.fault}`)].toSorted(
    ([a], [b]) => a.localeCompare(b),
  );
  const table = [
    `| ${HEAD.join(' | ')} |`,
    `|${'---|'.repeat(HEAD.length)}`,
    ...rows.map(([name, some]) => rowOf(name, some, findings)),
  ];
  const sum = (count: (cycle: CycleResult) => number): number =>
    cycles.reduce((all, cycle) => all + count(cycle), 0);
  const lines = [
    `${cycles.length} cycles with seed ${seed}: ${sum(({ tally }) => tally.requests.length)} requests, ` +
      `${sum(({ writes }) => writes.acknowledged)} acknowledged writes, ${blobs} blobs, ${blobsLeft} left of what PostgreSQL has lost.`,
    `Views lost: ${sum(({ viewsMissing }) => viewsMissing)}. Rows of the access log lost with killed gateways or with PostgreSQL's data: ${rowsLost}.`,
    `Acknowledged writes that an earlier one without an answer came after: ${sum(({ overtaken }) => overtaken.length)}.`,
    findings.length === 0 ? 'No fault was found.' : `${findings.length} faults were found:`,
    ...findings.map(({ kind, cycle, during, text }) => `- cycle ${cycle} (${during}), ${kind}: ${text}`),
    ...cyclesWith(findings).map((cycle) => `Repeat cycle ${cycle}: ${commandOf(cycle)}`),
  ];
  return `${table.join('\n')}\n\n${lines.join('\n')}\n`;
}

/** The cycles in which something was found, each once. */
export const cyclesWith = (findings: readonly Finding[]): number[] =>
  [...new Set(findings.map(({ cycle }) => cycle))].filter((cycle) => cycle > 0).toSorted((a, b) => a - b);

/** Findings that say an acknowledged write is not as it was acknowledged. */
const LOSSES = new Set(['lost', 'overtaken', 'undone', 'foreign', 'half']);

function rowOf(name: string, cycles: CycleResult[], findings: Finding[]): string {
  const numbers = new Set(cycles.map(({ plan }) => plan.number));
  const sum = (count: (cycle: CycleResult) => number): number =>
    cycles.reduce((all, cycle) => all + count(cycle), 0);
  const recoveries = cycles
    .flatMap(({ recoveriesMs }) => recoveriesMs.map((ms) => ms ?? Number.POSITIVE_INFINITY))
    .toSorted((a, b) => a - b);
  const lost = findings.filter(({ kind, cycle }) => numbers.has(cycle) && LOSSES.has(kind));
  const cells = [
    ...name.split('|'),
    recoveries.length,
    sum(({ writes }) => writes.acknowledged),
    lost.length,
    sum(({ writes }) => writes.unanswered),
    sum(({ writes }) => writes.refused),
    seconds(Math.max(...cycles.map(({ tally }) => tally.worstMs))),
    seconds(recoveries[Math.floor((recoveries.length - 1) / 2)] ?? 0),
    seconds(recoveries.at(-1) ?? 0),
  ];
  return `| ${cells.join(' | ')} |`;
}

const seconds = (ms: number): string => (Number.isFinite(ms) ? `${(ms / 1000).toFixed(1)} s` : 'never');

/** A cycle in which something was found: all that its plan depends on, and its number. */
type KeptCycle = Pick<
  RunOptions,
  'seed' | 'cycles' | 'cyclesOf' | 'only' | 'kinds' | 'strikes' | 'quick' | 'isHa'
> & { repeat: [number] };

/** The kept cycles of a file; none when it is not there. @throws Error for a file that is not a list of them */
export async function readKeptCycles(file: string): Promise<KeptCycle[]> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return '[]';
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
