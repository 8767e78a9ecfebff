import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openPromise } from 'yauzl';
import { CommandError, EXIT } from './failures.ts';

/**
 * Writes the files of a ZIP into a folder, one after the other. The archive lies in a temporary file meanwhile: where its
 * files are stands at its end.
 * @returns their paths
 */
export async function unpackTo(folder: string, archive: ReadableStream<Uint8Array>): Promise<string[]> {
  const temporary = await mkdtemp(join(tmpdir(), 'perch-get-'));
  try {
    const file = join(temporary, 'site.zip');
    await pipeline(Readable.fromWeb(archive), createWriteStream(file, { mode: 0o600 }));
    const zip = await openPromise(file);
    const paths: string[] = [];
    for await (const entry of zip.eachEntry()) {
      const target = insideOf(folder, entry.fileName);
      await mkdir(dirname(target), { recursive: true });
      await pipeline(await zip.openReadStreamPromise(entry), createWriteStream(target));
      paths.push(entry.fileName);
    }
    return paths;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Where a file of a site belongs; a path that leads out of the folder is refused, whatever the server says. */
function insideOf(folder: string, path: string): string {
  const target = join(folder, path);
  const inside = relative(folder, target);
  if (inside === '' || inside.startsWith('..') || isAbsolute(inside))
    throw new CommandError(`The site has a file "${path}", which would not be in ${folder}.`, EXIT.refused);
  return target;
}
