import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { atMost, type Bench, type Findings, megabytes, seconds } from './measurement.ts';
import { ask, embeddedAt, pidOf, startPerch } from './perch.ts';
import { memoryOf } from './process-usage.ts';
import { writeSiteArchive } from './site-publish.ts';

const FILES = 205;
const FILE_BYTES = 5 * 1_048_576;
const SAMPLE_MS = 50;
const MAX_GROWTH = 150 * 1_048_576;

interface Growth {
  mode: string;
  before: number;
  peak: number;
  elapsedMs: number;
}

/** The memory that all processes of Perch take while a site of 1 GB is published, beyond what they had before. */
export async function siteMemory(bench: Bench): Promise<Findings> {
  const archive = join(bench.dir, 'site.zip');
  bench.progress('writing an archive of 1 GB');
  await writeSiteArchive(archive, { files: FILES, bytes: FILE_BYTES, compressible: false });

  const dataDir = join(bench.dir, 'data');
  await mkdir(dataDir);
  const embedded = await embeddedAt(dataDir, bench.dir);
  bench.defer(embedded.stop);
  await embedded.start();
  const alone = await watch(archive, embedded.url, 'embedded, with its PostgreSQL', () =>
    memoryOf(pidOf(embedded), dataDir),
  );
  bench.progress(`${alone.mode}: ${megabytes(alone.peak - alone.before)}`);
  await embedded.stop();

  const { url, services } = await startPerch(bench);
  const processes = Object.values(services.processes).flat();
  const spread = await watch(archive, url, 'distributed, all service processes', async () => {
    const roots = processes.flatMap((process) => process.processes());
    return (await Promise.all(roots.map((pid) => memoryOf(pid, '/nonexistent')))).flat();
  });
  bench.progress(`${spread.mode}: ${megabytes(spread.peak - spread.before)}`);

  const size = megabytes((await stat(archive)).size);
  return {
    table: [
      ['', 'before', 'peak', 'growth', 'time'],
      ...[alone, spread].map(({ mode, before, peak, elapsedMs }) => [
        ...[mode, megabytes(before), megabytes(peak), megabytes(peak - before), seconds(elapsedMs)],
      ]),
    ],
    notes: [
      `A ZIP of ${size}: ${FILES} files of 5 MB, stored. RSS of all processes added up, looked at every ${SAMPLE_MS} ms; pages that processes share count in each.`,
      'A small site is published first, so that code and connections are there.',
      'The servers of the distributed mode (S3, PostgreSQL, Redis, NATS) are not in it; no byte of a site goes through any but the S3 server.',
    ],
    verdicts: [alone, spread].map(({ mode, before, peak }) =>
      atMost(`growth, ${mode}`, peak - before, MAX_GROWTH, megabytes),
    ),
  };
}

async function watch(
  archive: string,
  url: string,
  mode: string,
  measure: () => ReturnType<typeof memoryOf>,
): Promise<Growth> {
  const total = async (): Promise<number> =>
    (await measure()).reduce((sum, { rssBytes }) => sum + rssBytes, 0);
  const publish = (body: Bun.BunFile | FormData, headers: Record<string, string>) =>
    ask(`${url}/api/sites`, { method: 'POST', headers, body });
  const small = new FormData();
  small.append('files', new File(['<h1>small</h1>'], 'index.html'));
  await publish(small, {});
  const before = await total();
  let peak = before;
  let done = false;
  const began = performance.now();
  const publishing = publish(Bun.file(archive), { 'Content-Type': 'application/zip' }).finally(() => {
    done = true;
  });
  const watching = (async () => {
    while (!done) {
      peak = Math.max(peak, await total());
      await Bun.sleep(SAMPLE_MS);
    }
  })();
  await Promise.all([publishing, watching]);
  return { mode, before, peak, elapsedMs: performance.now() - began };
}
