import { type FileHandle, mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { nullWhen } from '../../../error-code.ts';
import { errors } from '../../../errors.ts';
import type { Logger } from '../../../logger.ts';
import { assertBlobKey, assertRange, BLOB_KEY, type BlobStore } from '../../../ports/blob-store.ts';
import { storageFailure } from '../../../storage-failure.ts';
import { createBlobFiles } from './blob-files.ts';
import { type JournalBounds, openBlobJournal } from './journal.ts';
import { createKeptRoom } from './kept-room.ts';

export interface DiskBlobStoreOptions {
  /** Made when missing. Blobs lie under `blobs/`, unfinished ones under `incoming/`, the journal of small ones under `journal/`. */
  dir: string;
  log: Logger;
  journal?: JournalBounds;
}

/** Blobs up to this size go by the journal: to write the bytes of larger ones twice costs more than to sync each file. */
export const JOURNALED_BYTES = 65_536;

/** Bytes read at once. */
const CHUNK = 262_144;

/**
 * Blobs as files. A crash at any point leaves the whole blob or none: a small one is kept by a journal, which those put at a time
 * share, others by a file of their own. The next start restores files from the journal and removes unfinished ones. The last room of
 * the disk is kept from new blobs.
 */
export async function createDiskBlobStore({
  dir,
  log,
  journal: bounds,
}: DiskBlobStoreOptions): Promise<BlobStore> {
  const blobs = join(dir, 'blobs');
  const incoming = join(dir, 'incoming');
  await rm(incoming, { recursive: true, force: true });
  await mkdir(incoming, { recursive: true, mode: 0o700 });
  await mkdir(blobs, { recursive: true, mode: 0o700 });

  const pathOf = (key: string): string => {
    assertBlobKey(key);
    return join(blobs, key);
  };
  /** Tells a missing blob from a missing store, such as a volume that is not mounted. */
  const assertPresent = async (): Promise<void> => {
    if (!(await stat(blobs)).isDirectory()) throw new Error(`${blobs} is not a folder`);
  };
  const files = createBlobFiles(blobs, incoming);
  const room = createKeptRoom(blobs);
  const journal = await openBlobJournal({
    folder: join(dir, 'journal'),
    root: blobs,
    log,
    bounds,
    files: {
      replace: (key, bytes) => files.replace(pathOf(key), bytes),
      remove: (key) => rm(pathOf(key), { force: true }),
      async has(key, bytes) {
        const found = await readFile(pathOf(key)).catch(nullWhen('ENOENT'));
        return found?.equals(bytes) ?? false;
      },
    },
  });

  const put = async (key: string, bytes: Uint8Array): Promise<void> => {
    const path = pathOf(key);
    if (bytes.length <= JOURNALED_BYTES && (await putByJournal(key, bytes))) return;
    await files.place(path, bytes);
  };
  const putByJournal = async (key: string, bytes: Uint8Array): Promise<boolean> => {
    const path = pathOf(key);
    try {
      return await journal.put(key, bytes, () => files.write(path, bytes));
    } catch (error) {
      await Promise.allSettled([journal.remove([key]), rm(path, { force: true })]);
      throw error;
    }
  };

  const openPresent = async (key: string): Promise<{ file: FileHandle; size: number } | null> => {
    const file = await open(pathOf(key), 'r').catch(nullWhen('ENOENT'));
    if (file === null) {
      await assertPresent();
      return null;
    }
    try {
      return { file, size: (await file.stat()).size };
    } catch (error) {
      await file.close();
      throw error;
    }
  };

  return {
    async put(key, bytes) {
      assertBlobKey(key);
      await orUnavailable(async () => {
        await room.take(bytes.length);
        await put(key, bytes);
      });
    },
    async putFile(key, path) {
      assertBlobKey(key);
      const { size } = await stat(path);
      await orUnavailable(async () => {
        await room.take(size);
        if (size > JOURNALED_BYTES) return await files.placeCopy(pathOf(key), path, size);
        const bytes = await readFile(path);
        if (bytes.length !== size) throw new Error(`${bytes.length} of ${size} bytes were read`);
        await put(key, bytes);
      });
    },
    async open(key, range) {
      assertBlobKey(key);
      if (range !== undefined) assertRange(range);
      return await orUnavailable(async () => {
        const opened = await openPresent(key);
        if (opened === null) return null;
        const { file, size } = opened;
        try {
          if (range !== undefined) assertRange(range, size);
          return { size, body: read(file, range?.start ?? 0, range === undefined ? size : range.end + 1) };
        } catch (error) {
          await file.close();
          throw error;
        }
      });
    },
    async openFile(key) {
      assertBlobKey(key);
      return await orUnavailable(() => openPresent(key));
    },
    async remove(keys) {
      const paths = keys.map(pathOf);
      await orUnavailable(async () => {
        await assertPresent();
        // On a full disk the journal may take no record, and removals make room.
        const [kept] = await Promise.allSettled([journal.remove(keys)]);
        await files.remove(paths);
        if (kept.status === 'rejected') throw kept.reason;
      });
    },
    async *list() {
      const folders = await orUnavailable(() => readdir(blobs, { withFileTypes: true }));
      for (const folder of folders) {
        if (!folder.isDirectory()) continue;
        for (const name of await orUnavailable(() => readdir(join(blobs, folder.name)))) {
          const key = `${folder.name}/${name}`;
          if (BLOB_KEY.test(key)) yield key;
        }
      }
    },
    async check() {
      await orUnavailable(assertPresent);
    },
    close: () => journal.close(),
  };
}

/** The bytes from `start` up to `end`. The file is open from the start, so that its removal does not end a read. */
function read(file: FileHandle, start: number, end: number): ReadableStream<Uint8Array> {
  let position = start;
  return new ReadableStream({
    async pull(controller) {
      try {
        if (position < end) {
          const chunk = new Uint8Array(Math.min(CHUNK, end - position));
          const { bytesRead } = await file.read(chunk, 0, chunk.length, position);
          if (bytesRead === 0) throw new Error(`the blob ended ${end - position} bytes early`);
          position += bytesRead;
          controller.enqueue(chunk.subarray(0, bytesRead));
        }
        if (position < end) return;
        await file.close();
        controller.close();
      } catch (error) {
        await file.close();
        throw errors.unavailable('content store', error);
      }
    },
    cancel: () => file.close(),
  });
}

async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw storageFailure('content store', error);
  }
}
