import { memoryOf, type ProcessMemory } from '../bench/process-usage.ts';
import { median, percentile } from '../bench/statistics.ts';
import type { Outcomes } from './soak-client.ts';

/** A process that is looked at. */
export interface Watched {
  name: string;
  /** The first of its processes: children count along. */
  pid(): number | undefined;
  /** Where a process of Perch shows its metrics. */
  url?: string;
}

export interface Sample {
  /** Since the traffic began. */
  seconds: number;
  requestsPerSecond: number;
  failuresPerSecond: number;
  /** The slowest of a hundred of the requests answered since the sample before, in ms; 0 without any. */
  p99Ms: number;
  /** By name. */
  processes: Record<string, ProcessSample>;
}

export interface ProcessSample {
  rssMb: number;
  /**
   * Proportional set size without shared memory. Of PostgreSQL's buffers each page that was ever touched counts: they
   * fill up to the size they are given, which looks like a leak until they are full.
   */
  pssMb: number;
  /** `null` for servers. */
  lagMs: number | null;
  /** Work that was refused because a queue was full, so far. */
  refusals: number;
}

const MB = 1_048_576;

/** Takes a sample of all each time it is called; rates are those since the call before. */
export function createSampler(watched: readonly Watched[], outcomes: Outcomes): () => Promise<Sample> {
  const begun = performance.now();
  let last = {
    at: begun,
    requests: outcomes.requests,
    failures: outcomes.failures,
    durations: outcomes.durations.length,
  };

  return async () => {
    const at = performance.now();
    const passed = (at - last.at) / 1000;
    const { requests, failures, durations } = outcomes;
    const lately = durations.slice(last.durations);
    const rates = {
      requestsPerSecond: (requests - last.requests) / passed,
      failuresPerSecond: (failures - last.failures) / passed,
      p99Ms: lately.length === 0 ? 0 : percentile(lately, 0.99),
    };
    last = { at, requests, failures, durations: durations.length };
    const measured = await Promise.all(watched.map(async (one) => [one.name, await measure(one)] as const));
    return { seconds: (at - begun) / 1000, ...rates, processes: Object.fromEntries(measured) };
  };
}

async function measure({ pid, url }: Watched): Promise<ProcessSample> {
  const root = pid();
  const tree = root === undefined ? [] : await memoryOf(root);
  const sum = (bytes: (one: ProcessMemory) => number) => tree.reduce((all, one) => all + bytes(one), 0) / MB;
  const page = url === undefined ? '' : await (await fetch(`${url}/metrics`)).text();
  const lag = /^event_loop_lag_seconds\{[^}]*\} (\S+)$/m.exec(page)?.[1];
  const refusals = [...page.matchAll(/^refusals_total\{[^}]*\} (\S+)$/gm)].map(([, count]) => Number(count));
  return {
    rssMb: sum(({ rssBytes }) => rssBytes),
    pssMb: sum(({ pssBytes, sharedBytes }) => pssBytes - sharedBytes),
    lagMs: lag === undefined ? null : Number(lag) * 1000,
    refusals: refusals.reduce((total, count) => total + count, 0),
  };
}

/** A figure early and at the end, and whether it has stayed. */
interface Flatness {
  early: number;
  late: number;
  isFlat: boolean;
}

/** Parts of the run that are compared: the minutes 20 to 30 of an hour, and the last six. */
const EARLY = { from: 1 / 3, to: 1 / 2 };
const LATE = { from: 0.9, to: 1 };

/** Memory goes up and down with work under way: by so much it may be higher at the end and still count as flat. */
const MEMORY_SLACK = { share: 0.15, absolute: 16 };
/** How much slower the slowest requests may become, in ms: a few of five seconds decide. */
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
