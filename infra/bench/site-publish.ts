import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Zip, ZipDeflate, ZipPassThrough } from 'fflate';
import { Client } from 'minio';
import { s3ConfigOf } from '../servers/all.ts';
import { commandPath } from '../servers/debian.ts';
import { atMost, type Bench, type Findings, megabytes, ratio, seconds, timed } from './measurement.ts';
import { ask, startPerch } from './perch.ts';
import { median, medianRatio } from './statistics.ts';

const FILES = 1000;
const FILE_BYTES = 52_428;
const ROUNDS = 5;

/** A site of 1000 files and 50 MB published from a ZIP, against `unzip` and one put of the same bytes. */
export async function sitePublish(bench: Bench): Promise<Findings> {
  const { url, servers } = await startPerch(bench);
  const archive = join(bench.dir, 'site.zip');
  await writeSiteArchive(archive, { files: FILES, bytes: FILE_BYTES, compressible: true });
  const { env } = servers;
  const { endpoint, accessKey, secretKey, region, bucket } = s3ConfigOf(env);
  const { hostname, port } = new URL(endpoint);
  const s3 = new Client({
    endPoint: hostname,
    port: Number(port),
    useSSL: false,
    pathStyle: true,
    accessKey,
    secretKey,
    region,
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
    await s3.putObject(bucket, `bench/${round}`, packed, packed.length);
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

interface ArchiveShape {
  files: number;
  /** Bytes of each file. */
  bytes: number;
  /** Half of each file is text that shrinks; otherwise nothing does, and nothing is tried. */
  compressible: boolean;
}

/** Writes a ZIP of a site to a file, one entry after the other. */
export async function writeSiteArchive(
  path: string,
  { files, bytes, compressible }: ArchiveShape,
): Promise<void> {
  const output = createWriteStream(path);
  const zip = new Zip((error, chunk, final) => {
    if (error !== null) output.destroy(error);
    else if (final) output.end(chunk);
    else output.write(chunk);
  });
  for (let n = 0; n < files; n++) {
    const name = n === 0 ? 'index.html' : `part-${n % 20}/file-${n}.bin`;
    const entry = compressible ? new ZipDeflate(name, { level: 6 }) : new ZipPassThrough(name);
    zip.add(entry);
    entry.push(content(bytes, compressible), true);
    if (output.writableNeedDrain) await once(output, 'drain');
  }
  zip.end();
  await once(output, 'close');
}

function content(bytes: number, compressible: boolean): Uint8Array {
  const random = randomBytes(compressible ? bytes / 2 : bytes);
  return compressible ? Buffer.concat([random, Buffer.alloc(bytes - random.length, 'perch ')]) : random;
}
