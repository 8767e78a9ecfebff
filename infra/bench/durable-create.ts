import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { s3ConfigOf, startServers } from '../servers/all.ts';
import { startBarePages } from './bare-chain/start.ts';
import type { Plainly, PlainStore } from './create-plainly.ts';
import type { ThroughPerch } from './create-through-perch.ts';
import { atLeast, type Bench, count, type Findings, milliseconds, ratio } from './measurement.ts';
import { type CreateOutcome, type CreateTask, PAGE_BYTES } from './pages.ts';
import { startEmbedded, startPerch, UNREACHED_LIMITS } from './perch.ts';
import { median, medianRatio, percentile } from './statistics.ts';

/** Many at once, and one after the other. */
const LOADS = [
  { inFlight: 32, pages: 1500 },
  { inFlight: 1, pages: 300 },
] as const;
const WARM_UP = 100;
const ROUNDS = 3;
const ROUND_LIMIT_MS = 60_000;

/** Creates of pages that are durable when they are answered, against the least that makes bytes and a row durable. */
export async function durableCreate(bench: Bench): Promise<Findings> {
  const comparisons = await startSides(bench);
  let used = 0;
  const nextTask = ({ inFlight, pages }: Load): CreateTask => {
    const first = used;
    used += pages + WARM_UP;
    return { first, pages, inFlight, warmUp: WARM_UP, limitMs: ROUND_LIMIT_MS };
  };
  const sides = [...new Set(comparisons.flatMap(({ own, reference }) => [own, reference]))];
  for (const load of LOADS)
    for (let round = 1; round <= ROUNDS; round++) {
      for (const { name, run, outcomes } of sides) {
        const outcome = await run(nextTask(load));
        outcomes[load.inFlight].push(outcome);
        bench.progress(
          `${load.inFlight} in flight, round ${round}, ${name}: ${count(rate(outcome))} pages/s`,
        );
      }
    }
  return {
    table: [
      ['', 'in flight', 'pages/s', 'ratio', 'p50', 'p99', 'pages'],
      ...LOADS.flatMap(({ inFlight }) =>
        comparisons.flatMap(({ own, reference }) => [
          rowOf(own, reference, inFlight),
          rowOf(reference, reference, inFlight),
        ]),
      ),
    ],
    notes: [
      `Distinct pages of ${PAGE_BYTES} bytes, medians of ${ROUNDS} alternating rounds of ${LOADS.map(({ inFlight, pages }) => `${pages} pages with ${inFlight} in flight`).join(' and ')}, each after ${WARM_UP} untimed ones, ratios those of one round; fsync on.`,
      'Perch distributed: a load generator in its own process, HTTP, one gateway process, NATS, one content process; for each page the upload limit in Redis, checks and hashes, one S3 put, one transaction over three tables, the item record in Redis.',
      'Perch on servers: one process with PostgreSQL, Redis and NATS beside it, contents in a folder; embedded: one process with a PostgreSQL of its own.',
      'Bare server: one process that takes a page by HTTP, puts it with the store of Perch and commits its row together with others, and does no more.',
      'Plain client: one process that puts with the minio client, or writes and syncs a file, then inserts one row, both awaited; nobody asks it by HTTP.',
    ],
    verdicts: comparisons.flatMap(({ own, reference, least }) => {
      if (least === null) return [];
      return LOADS.map(({ inFlight }) => {
        const what = `pages per second with ${inFlight} in flight, ${own.name} to ${reference.name}`;
        return atLeast(what, shareOf(own, reference, inFlight), least, ratio);
      });
    }),
  };
}

const rate = ({ elapsedMs, timesMs }: CreateOutcome): number => timesMs.length / (elapsedMs / 1000);

const shareOf = (own: Side, reference: Side, inFlight: InFlight): number =>
  medianRatio(own.outcomes[inFlight].map(rate), reference.outcomes[inFlight].map(rate));

function rowOf(own: Side, reference: Side, inFlight: InFlight): string[] {
  const outcomes = own.outcomes[inFlight];
  const times = outcomes.flatMap(({ timesMs }) => timesMs);
  const percentiles = [percentile(times, 0.5), percentile(times, 0.99)].map(milliseconds);
  return [
    ...[own.name, String(inFlight), count(median(outcomes.map(rate)))],
    ...[ratio(shareOf(own, reference, inFlight)), ...percentiles, count(times.length)],
  ];
}

type Load = (typeof LOADS)[number];
type InFlight = Load['inFlight'];
type Outcomes = Record<InFlight, CreateOutcome[]>;

const noOutcomes = (): Outcomes => ({ 32: [], 1: [] });

/** One who makes pages, and the measurements of its rounds. */
interface Side {
  name: string;
  run(task: CreateTask): Promise<CreateOutcome>;
  outcomes: Outcomes;
}

/** A Perch beside the least that makes a page durable on the same store and database. */
interface Comparison {
  own: Side;
  reference: Side;
  /** The least share of the reference's pages a second; `null`: it is there to be seen beside the others. */
  least: number | null;
}

/** Perch in its two modes, and in one process on the servers of the distributed mode, where the store is a folder. */
async function startSides(bench: Bench): Promise<Comparison[]> {
  const distributed = await startPerch(bench);
  const { env } = distributed.servers;
  const s3 = s3ConfigOf(env);
  const onServers = await startOnOwnServers(bench);
  const embedded = await startEmbedded(bench, 'embedded', UNREACHED_LIMITS);
  const plainDir = join(bench.dir, 'plain');
  await mkdir(plainDir);
  const bare = await startBarePages(bench, join(bench.dir, 'bare-pages'), onServers.pgUrl);
  const intoFolder = plainSide('plain client, folder', onServers.pgUrl, { dir: plainDir });
  return [
    {
      own: perchSide('Perch distributed, S3', distributed.url),
      reference: plainSide('plain client, S3', env.PG_URL ?? '', { s3 }),
      least: 0.85,
    },
    { own: perchSide('Perch on servers, folder', onServers.url), reference: intoFolder, least: 0.6 },
    { own: perchSide('Perch embedded, folder', embedded.url), reference: intoFolder, least: 0.6 },
    { own: perchSide('bare server, folder', bare.url), reference: intoFolder, least: null },
  ];
}

/** With a bus of its own: on a shared one the two would share the requests of both. */
async function startOnOwnServers(bench: Bench): Promise<{ url: string; pgUrl: string }> {
  const servers = await startServers({
    dir: join(bench.dir, 'light-servers'),
    use: { S3_ENDPOINT: 'none', S3_ACCESS_KEY: 'none', S3_SECRET_KEY: 'none' },
  });
  bench.defer(servers.stop);
  const { PG_URL = '', REDIS_URL = '', NATS_URL = '' } = servers.env;
  const settings = { ...UNREACHED_LIMITS, PG_URL, REDIS_URL, NATS_URL };
  const { url } = await startEmbedded(bench, 'on-servers', settings);
  return { url, pgUrl: PG_URL };
}

const perchSide = (name: string, url: string): Side => ({
  name,
  run: (task) => runClient<ThroughPerch>(import.meta.resolve('./create-through-perch.ts'), { ...task, url }),
  outcomes: noOutcomes(),
});

const plainSide = (name: string, pgUrl: string, store: PlainStore): Side => ({
  name,
  run: (task) => runClient<Plainly>(import.meta.resolve('./create-plainly.ts'), { ...task, pgUrl, store }),
  outcomes: noOutcomes(),
});

async function runClient<Task extends CreateTask>(script: string, task: Task): Promise<CreateOutcome> {
  const client = Bun.spawn([process.execPath, fileURLToPath(script), JSON.stringify(task)], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: task.limitMs + 60_000,
  });
  const [output, errors] = await Promise.all([client.stdout.text(), client.stderr.text(), client.exited]);
  if (client.exitCode !== 0) throw new Error(`${script} failed:\n${errors}`);
  return JSON.parse(output) as CreateOutcome;
}
