import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { Zip, ZipDeflate, ZipPassThrough } from 'fflate';

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
