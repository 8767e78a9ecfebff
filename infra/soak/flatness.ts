import { median } from '../bench/statistics.ts';
import type { Sample } from './samples.ts';

/** The memory of a process early and at the end, in MB, and whether it is flat. */
export interface Flatness {
  name: string;
  earlyMb: number;
  lateMb: number;
  isFlat: boolean;
}

/** Of ten minutes these are the third and fourth, and the last: of another time the same parts. */
const EARLY = { from: 0.2, to: 0.4 };
const LATE = { from: 0.9, to: 1 };

/** Memory goes up and down with what is under way: by so much it may be higher at the end and still count as flat. */
const SLACK = { share: 0.15, mb: 16 };

/** Compares the medians of a process's memory (PSS) of both times. @throws RangeError without samples of one of them */
export function flatnessOf(name: string, samples: readonly Sample[]): Flatness {
  const end = samples.at(-1)?.seconds ?? 0;
  const within = ({ from, to }: typeof EARLY): number =>
    median(
      samples
        .filter(({ seconds }) => seconds >= from * end && seconds <= to * end)
        .map(({ processes }) => processes[name]?.pssMb ?? 0),
    );
  const [earlyMb, lateMb] = [within(EARLY), within(LATE)];
  return { name, earlyMb, lateMb, isFlat: lateMb <= earlyMb * (1 + SLACK.share) + SLACK.mb };
}
