import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Instance } from '../instance.ts';
import { OWNER_TOKEN } from './client.ts';
import { until } from './waiting.ts';

const folderOf = ({ env, dir }: Instance): string => env.UPLOAD_DIR ?? join(dir, 'uploads');

/** The files of uploads under way, and those that nobody has removed. */
export async function uploadedFiles(perch: Instance): Promise<string[]> {
  const entries = await readdir(folderOf(perch), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** The folders in it: each process has one while it runs. */
export const uploadFolders = async (perch: Instance): Promise<string[]> =>
  (await readdir(folderOf(perch))).toSorted();

/**
 * Begins the upload of a site that never ends; resolves once its beginning lies in the upload folder. The upload ends with the
 * process that it goes to, or when it is broken off.
 */
export async function beginUpload(perch: Instance, address: string): Promise<{ breakOff(): void }> {
  const before = new Set(await uploadedFiles(perch));
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new Uint8Array(300_000).fill(0x50));
    },
  });
  const headers = {
    'User-Agent': 'PerchTests/1',
    'X-Owner-Token': OWNER_TOKEN,
    'Content-Type': 'application/zip',
  };
  const broken = new AbortController();
  const request = { method: 'POST', headers, body, signal: broken.signal };
  void fetch(`${address}/api/sites?ns=faults`, request).catch(() => undefined);
  await until('the upload has begun', async () => {
    const begun = (await uploadedFiles(perch)).filter((file) => !before.has(file));
    const sizes = await Promise.all(begun.map(async (file) => (await stat(file)).size));
    return sizes.some((size) => size > 0);
  });
  return { breakOff: () => broken.abort() };
}
