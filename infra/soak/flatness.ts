import { median } from '../bench/statistics.ts';
import type { Sample } from './samples.ts';

/** A figure early and at the end, and whether it has stayed. */
export interface Flatness {
  early: number;
  late: number;
  isFlat: boolean;
}

/** Of an hour these are the minutes 20 to 30, and the last six: of another time those parts of it. */
const EARLY = { from: 1 / 3, to: 1 / 2 };
const LATE = { from: 0.9, to: 1 };

/** Memory goes up and down with work under way: by so much it may be higher at the end and still count as flat. */
const MEMORY_SLACK = { share: 0.15, absolute: 16 };
/** Of the slowest requests, in ms: a few of five seconds decide. */
const P99_SLACK = { share: 0.25, absolute: 25 };

/** Compares the medians of a process's memory (PSS, MB) of both times. @throws RangeError without samples of one of them */
export const memoryFlatness = (name: string, samples: readonly Sample[]): Flatness =>
  flatnessOf(samples, ({ processes }) => processes[name]?.pssMb ?? 0, MEMORY_SLACK);

/** Compares the medians of the 99th percentile (ms) of both times. @throws RangeError without samples of one of them */
export const p99Flatness = (samples: readonly Sample[]): Flatness =>
  flatnessOf(samples, ({ p99Ms }) => p99Ms, P99_SLACK);

function flatnessOf(
  samples: readonly Sample[],
  figure: (sample: Sample) => number,
  slack: typeof MEMORY_SLACK,
): Flatness {
  const end = samples.at(-1)?.seconds ?? 0;
  const within = ({ from, to }: typeof EARLY): number =>
    median(samples.filter(({ seconds }) => seconds >= from * end && seconds <= to * end).map(figure));
  const [early, late] = [within(EARLY), within(LATE)];
  return { early, late, isFlat: late <= early * (1 + slack.share) + slack.absolute };
}
