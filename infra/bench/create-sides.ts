import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServers } from '../servers/all.ts';
import type { CreateOutcome, CreateTask } from './create-load.ts';
import type { Plainly, PlainStore } from './create-plainly.ts';
import type { ThroughPerch } from './create-through-perch.ts';
import { embeddedAt } from './embedded.ts';
import type { Bench } from './measurement.ts';
import { startPerch, UNREACHED_LIMITS } from './perch.ts';

/** One who makes pages, and the measurements of its rounds. */
export interface Side {
  name: string;
  run(task: CreateTask): Promise<CreateOutcome>;
  outcomes: CreateOutcome[];
}

/** A Perch beside the least that makes a page durable on the same store and database. */
export interface Comparison {
  own: Side;
  reference: Side;
  /** The least share of the reference's pages a second. */
  least: number;
}

/** Perch in its two modes, and in one process on the servers of the distributed mode, where the store is a folder. */
export async function startSides(bench: Bench): Promise<Comparison[]> {
  const distributed = await startPerch(bench);
  const { env } = distributed.servers;
  const s3 = {
    endpoint: env.S3_ENDPOINT ?? '',
    accessKey: env.S3_ACCESS_KEY ?? '',
    secretKey: env.S3_SECRET_KEY ?? '',
    region: env.S3_REGION ?? '',
    bucket: env.S3_BUCKET ?? '',
  };
  const onServers = await startOnOwnServers(bench);
  const embedded = await startOneProcess(bench, 'embedded', {});
  const plainDir = join(bench.dir, 'plain');
  await mkdir(plainDir);
  const intoFolder = plainSide('plain client, folder', onServers.pgUrl, { dir: plainDir });
  return [
    {
      own: perchSide('Perch distributed, S3', distributed.url),
      reference: plainSide('plain client, S3', env.PG_URL ?? '', { s3 }),
      least: 0.85,
    },
    { own: perchSide('Perch on servers, folder', onServers.url), reference: intoFolder, least: 0.6 },
    { own: perchSide('Perch embedded, folder', embedded), reference: intoFolder, least: 0.6 },
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
  const url = await startOneProcess(bench, 'on-servers', { PG_URL, REDIS_URL, NATS_URL });
  return { url, pgUrl: PG_URL };
}

async function startOneProcess(
  bench: Bench,
  name: string,
  settings: Record<string, string>,
): Promise<string> {
  const dir = join(bench.dir, name);
  await mkdir(dir);
  const perch = await embeddedAt(join(dir, 'data'), dir, { ...UNREACHED_LIMITS, ...settings });
  await perch.start();
  bench.defer(perch.stop);
  return perch.url;
}

const perchSide = (name: string, url: string): Side => ({
  name,
  run: (task) => runClient<ThroughPerch>(import.meta.resolve('./create-through-perch.ts'), { ...task, url }),
  outcomes: [],
});

const plainSide = (name: string, pgUrl: string, store: PlainStore): Side => ({
  name,
  run: (task) => runClient<Plainly>(import.meta.resolve('./create-plainly.ts'), { ...task, pgUrl, store }),
  outcomes: [],
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
