import { memoryOf, type ProcessMemory } from '../bench/process-memory.ts';
import { percentile } from '../bench/statistics.ts';
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
