import { fileURLToPath } from 'node:url';
import type { CreateOutcome, CreateTask } from './create-load.ts';
import type { Plainly } from './create-plainly.ts';
import type { ThroughPerch } from './create-through-perch.ts';
import type { Bench, Findings } from './measurement.ts';
import { PAGE_BYTES } from './page-bytes.ts';
import { startPerch } from './perch.ts';
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
  const { url, servers } = await startPerch(bench);
  const { env } = servers;
  const s3 = {
    endpoint: env.S3_ENDPOINT ?? '',
    accessKey: env.S3_ACCESS_KEY ?? '',
    secretKey: env.S3_SECRET_KEY ?? '',
    region: env.S3_REGION ?? '',
    bucket: env.S3_BUCKET ?? '',
  };
  let used = 0;
  const nextTask = (): CreateTask => {
    const first = used;
    used += PAGES + WARM_UP;
    return { first, pages: PAGES, inFlight: IN_FLIGHT, warmUp: WARM_UP, limitMs: ROUND_LIMIT_MS };
  };
  const contenders = [
    {
      name: 'Perch',
      run: () =>
        runClient<ThroughPerch>(import.meta.resolve('./create-through-perch.ts'), { ...nextTask(), url }),
      outcomes: [] as CreateOutcome[],
    },
    {
      name: 'plain client',
      run: () =>
        runClient<Plainly>(import.meta.resolve('./create-plainly.ts'), {
          ...nextTask(),
          pgUrl: env.PG_URL ?? '',
          s3,
        }),
      outcomes: [] as CreateOutcome[],
    },
  ];
  for (let round = 1; round <= ROUNDS; round++) {
    for (const { name, run, outcomes } of contenders) {
      const outcome = await run();
      outcomes.push(outcome);
      bench.progress(`round ${round}, ${name}: ${count(rate(outcome))} pages/s`);
    }
  }

  const [perch, plain] = contenders;
  if (perch === undefined || plain === undefined) throw new Error('nothing measured');
  const reference = plain.outcomes.map(rate);
  return {
    table: [
      ['', 'pages/s', 'ratio', 'p50', 'p99', 'pages'],
      ...contenders.map(({ name, outcomes }) => rowOf(name, outcomes, reference)),
    ],
    notes: [
      `Distinct pages of ${PAGE_BYTES} bytes, ${IN_FLIGHT} in flight, medians of ${ROUNDS} alternating rounds of ${PAGES} pages after ${WARM_UP} untimed ones, ratios those of one round; same servers, fsync on.`,
      'Perch: a load generator in its own process, HTTP, one gateway process, NATS, one content process; for each page the upload limit in Redis, checks and hashes, one S3 put, one transaction over four tables, the route in Redis.',
      'Plain client: one process that puts with the minio client, then inserts one row, both awaited; it does not speak HTTP with anybody but S3.',
    ],
    verdicts: [
      atLeast(
        "pages per second, to the plain client's",
        medianRatio(perch.outcomes.map(rate), reference),
        0.6,
        ratio,
      ),
    ],
  };
}

const rate = ({ elapsedMs, timesMs }: CreateOutcome): number => timesMs.length / (elapsedMs / 1000);

function rowOf(name: string, outcomes: CreateOutcome[], reference: number[]): string[] {
  const own = outcomes.map(rate);
  const times = outcomes.flatMap(({ timesMs }) => timesMs);
  const percentiles = [percentile(times, 0.5), percentile(times, 0.99)].map(milliseconds);
  return [name, count(median(own)), ratio(medianRatio(own, reference)), ...percentiles, count(times.length)];
}

async function runClient<Task extends CreateTask>(script: string, task: Task): Promise<CreateOutcome> {
  const client = Bun.spawn([process.execPath, fileURLToPath(script), JSON.stringify(task)], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: ROUND_LIMIT_MS + 60_000,
  });
  const [output, errors] = await Promise.all([client.stdout.text(), client.stderr.text(), client.exited]);
  if (client.exitCode !== 0) throw new Error(`${script} failed:\n${errors}`);
  return JSON.parse(output) as CreateOutcome;
}
