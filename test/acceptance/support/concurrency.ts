import { until } from '../../../infra/until.ts';

/** Repeats a check until it says yes; for what Perch does in the background. @throws the error of a check */
export async function eventually(check: () => Promise<boolean> | boolean, limitMs = 60_000): Promise<void> {
  await until(String(check), async () => check(), limitMs);
}

/** Runs a task several times at once; each gets its number. */
export const atOnce = <T>(times: number, task: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: times }, (_, n) => task(n)));

let last = 0;

/** A name no other test has used: a namespace or an id. */
export const fresh = (prefix: string): string => `${prefix}-${++last}`;

/** How often each value occurs. */
export function tally(values: Array<string | number>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}
