import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'minio';
import { commandPath } from '../servers/debian.ts';
import type { Bench, Findings } from './measurement.ts';
import { ask, startPerch } from './perch.ts';
import { writeSiteArchive } from './site-archive.ts';
import { median, medianRatio } from './statistics.ts';
import { megabytes, ratio, seconds } from './table.ts';
import { atMost } from './verdicts.ts';

const FILES = 1000;
const FILE_BYTES = 52_428;
const ROUNDS = 5;

/** A site of 1000 files and 50 MB published from a ZIP, against `unzip` and one put of the same bytes. */
export async function sitePublish(bench: Bench): Promise<Findings> {
  const { url, servers } = await startPerch(bench);
  const archive = join(bench.dir, 'site.zip');
  await writeSiteArchive(archive, { files: FILES, bytes: FILE_BYTES, compressible: true });
  const { env } = servers;
  const { hostname, port } = new URL(env.S3_ENDPOINT ?? '');
  const s3 = new Client({
    ...{ endPoint: hostname, port: Number(port), useSSL: false, pathStyle: true },
    ...{
      accessKey: env.S3_ACCESS_KEY ?? '',
      secretKey: env.S3_SECRET_KEY ?? '',
      region: env.S3_REGION ?? '',
    },
  });
  const packed = Buffer.alloc(FILES * FILE_BYTES, 'perch');
  const publish = async (): Promise<void> => {
    const headers = { 'Content-Type': 'application/zip' };
    await ask(`${url}/api/sites`, { method: 'POST', headers, body: Bun.file(archive) });
  };
  const plainly = async (round: number): Promise<void> => {
    const dir = join(bench.dir, `unzipped-${round}`);
    await mkdir(dir);
    const unzip = Bun.spawn([commandPath('unzip'), '-q', archive, '-d', dir], { stdout: 'ignore' });
    if ((await unzip.exited) !== 0) throw new Error('unzip failed');
    await s3.putObject(env.S3_BUCKET ?? '', `bench/${round}`, packed, packed.length);
  };
  await publish();
  await plainly(0);
  const own: number[] = [];
  const reference: number[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    own.push(await timed(publish));
    reference.push(await timed(() => plainly(round)));
    bench.progress(`round ${round}: ${seconds(own.at(-1) ?? 0)} to ${seconds(reference.at(-1) ?? 0)}`);
  }
  const times = medianRatio(own, reference);
  return {
    table: [
      ['', 'median', 'worst', 'ratio'],
      ['Perch', seconds(median(own)), seconds(Math.max(...own)), ratio(times)],
      ['unzip and one put', seconds(median(reference)), seconds(Math.max(...reference)), ratio(1)],
    ],
    notes: [
      `${FILES} files of ${FILE_BYTES} bytes, half of each compressible: an archive of ${megabytes((await stat(archive)).size)}, ${megabytes(packed.length)} unpacked; medians of ${ROUNDS} alternating rounds, ratios those of one round.`,
      'Perch: upload over HTTP, spooled, unpacked and checked (sizes, CRC, SHA-256 of each file), packed, one put with its index, one transaction.',
      'Reference: `unzip -q` into a folder, then one put of as many bytes with the minio client; no upload, no checks of its own.',
    ],
    verdicts: [atMost('time, to unzip and one put', times, 3, ratio)],
  };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
