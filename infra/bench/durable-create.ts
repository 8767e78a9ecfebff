import type { CreateOutcome, CreateTask } from './create-load.ts';
import { type Comparison, type Side, startSides } from './create-sides.ts';
import type { Bench, Findings } from './measurement.ts';
import { PAGE_BYTES } from './page-bytes.ts';
import { median, medianRatio, percentile } from './statistics.ts';
import { count, milliseconds, ratio } from './table.ts';
import { atLeast } from './verdicts.ts';

const IN_FLIGHT = 32;
const PAGES = 1500;
const WARM_UP = 100;
const ROUNDS = 3;
const ROUND_LIMIT_MS = 60_000;

/** Creates of pages that are durable when they are answered, against the least that makes bytes and a row durable. */
export async function durableCreate(bench: Bench): Promise<Findings> {
  const comparisons = await startSides(bench);
  let used = 0;
  const nextTask = (): CreateTask => {
    const first = used;
    used += PAGES + WARM_UP;
    return { first, pages: PAGES, inFlight: IN_FLIGHT, warmUp: WARM_UP, limitMs: ROUND_LIMIT_MS };
  };
  const sides = [...new Set(comparisons.flatMap(({ own, reference }) => [own, reference]))];
  for (let round = 1; round <= ROUNDS; round++) {
    for (const { name, run, outcomes } of sides) {
      const outcome = await run(nextTask());
      outcomes.push(outcome);
      bench.progress(`round ${round}, ${name}: ${count(rate(outcome))} pages/s`);
    }
  }
  return {
    table: [
      ['', 'pages/s', 'ratio', 'p50', 'p99', 'pages'],
      ...comparisons.flatMap(({ own, reference }) => [rowOf(own, reference), rowOf(reference, reference)]),
    ],
    notes: [
      `Distinct pages of ${PAGE_BYTES} bytes, ${IN_FLIGHT} in flight, medians of ${ROUNDS} alternating rounds of ${PAGES} pages after ${WARM_UP} untimed ones, ratios those of one round; fsync on.`,
      'Perch distributed: a load generator in its own process, HTTP, one gateway process, NATS, one content process; for each page the upload limit in Redis, checks and hashes, one S3 put, one transaction over four tables, the route in Redis.',
      'Perch on servers: one process with PostgreSQL, Redis and NATS beside it, contents in a folder; embedded: one process with a PostgreSQL of its own.',
      'Plain client: one process that puts with the minio client, or writes and syncs a file, then inserts one row, both awaited; nobody asks it by HTTP.',
    ],
    verdicts: comparisons.map(({ own, reference, least }) =>
      atLeast(
        `pages per second, ${own.name} to ${reference.name}`,
        shareOf({ own, reference }),
        least,
        ratio,
      ),
    ),
  };
}

const rate = ({ elapsedMs, timesMs }: CreateOutcome): number => timesMs.length / (elapsedMs / 1000);

const shareOf = ({ own, reference }: Pick<Comparison, 'own' | 'reference'>): number =>
  medianRatio(own.outcomes.map(rate), reference.outcomes.map(rate));

function rowOf(own: Side, reference: Side): string[] {
  const times = own.outcomes.flatMap(({ timesMs }) => timesMs);
  const percentiles = [percentile(times, 0.5), percentile(times, 0.99)].map(milliseconds);
  return [
    ...[own.name, count(median(own.outcomes.map(rate))), ratio(shareOf({ own, reference }))],
    ...[...percentiles, count(times.length)],
  ];
}
