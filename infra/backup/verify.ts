import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../shared/error-code.ts';
import { pathsOf } from './backup-folder.ts';
import { inWindows, readBlobList } from './blob-list.ts';
import { digestOf, type FileDigest } from './file-digest.ts';
import type { Manifest } from './manifest.ts';
import { ToolError } from './run-tool.ts';

/** Files read at once. */
const WIDTH = 4;

/**
 * Reads the whole backup and compares it with its manifest.
 * @throws ToolError that names the first file that is missing or not what was written
 */
export async function verifyBackup(
  folder: string,
  manifest: Manifest,
  onBlob: (done: number) => void,
): Promise<void> {
  for (const { file, rows, bytes, sha256 } of manifest.tables)
    await verifyFile(folder, file, { lines: rows, bytes, sha256 });
  const { file, count, sha256 } = manifest.blobs;
  await verifyFile(folder, file, { lines: count, sha256 });
  let done = 0;
  const blobs = readBlobList(join(folder, file));
  const results = inWindows(blobs, WIDTH, (blob) =>
    verifyFile(folder, `blobs/${blob.key}`, { bytes: blob.size, sha256: blob.sha256 }),
  );
  for await (const _ of results) onBlob(++done);
}

/** @throws ToolError when a file is missing or not what was written */
async function verifyFile(folder: string, file: string, expected: Partial<FileDigest>): Promise<void> {
  const path = file.startsWith('blobs/') ? pathsOf(folder).blob(file.slice(6)) : join(folder, file);
  const size = await stat(path).then(
    (found) => found.size,
    (error: unknown) => {
      throw new ToolError(`The backup is not whole: ${file} cannot be read (${errorCode(error)}).`);
    },
  );
  const found = expected.bytes === undefined || expected.bytes === size ? await digestOf(path) : null;
  const isSame =
    found !== null &&
    found.sha256 === expected.sha256 &&
    (expected.lines === undefined || found.lines === expected.lines);
  if (!isSame) throw damaged(file);
}

export const damaged = (file: string): ToolError =>
  new ToolError(`The backup is damaged: ${file} is not what was written. Take another copy of it.`);
