import { messageOf } from '../shared/message-of.ts';

/** Reads a number of a command line. @throws RangeError when it is none, or out of its range (ends included) */
export function wholeNumber(text: string, [low, high]: readonly [number, number]): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= low && value <= high) return value;
  throw new RangeError(`${text} is not from ${low} to ${high}`);
}

/** The outcome of a start. One that fails says why in plain words on standard error and ends this process with 1. */
export async function orEnd<T>(start: Promise<T>): Promise<T> {
  try {
    return await start;
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exit(1);
  }
}
