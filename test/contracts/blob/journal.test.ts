import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdir, readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nanoid } from 'nanoid';
import pino from 'pino';
import { createCheckpointer } from '../../../shared/adapters/blob/disk/checkpoint.ts';
import type { JournalBounds } from '../../../shared/adapters/blob/disk/journal.ts';
import type { JournalRecord } from '../../../shared/adapters/blob/disk/records.ts';
import type { JournaledFiles } from '../../../shared/adapters/blob/disk/replay.ts';
import {
  appendTo,
  closeSegment,
  createSegment,
  findSegments,
} from '../../../shared/adapters/blob/disk/segment.ts';
import { createDiskBlobStore, JOURNALED_BYTES } from '../../../shared/adapters/blob/disk/store.ts';
import { newBlobKey } from '../../../shared/ids.ts';
import type { BlobStore } from '../../../shared/ports/blob-store.ts';
import { temporaryFolder } from '../../servers.ts';
import { content, listed, readWhole } from './contract.ts';
import { withFileSizeLimit } from './file-size-limit.ts';

setDefaultTimeout(60_000);
const log = pino({ level: 'silent' });
/** Keeps every segment as long as the test lasts: no test fills one by chance, as a full one is synced and goes. */
const KEEPING: JournalBounds = {
  segmentBytes: 4_000_000,
  segmentRecords: 1_000,
  segments: 4,
  segmentMs: 3_600_000,
};
let folder: string;
const stores: BlobStore[] = [];

beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(async () => {
  for (const store of stores) await store.close();
  await rm(folder, { recursive: true, force: true });
});

const newDir = (): string => join(folder, nanoid());
/** To be opened once more without a stop, as after a crash: a stop leaves nothing in the journal. */
async function open(dir: string, bounds: Partial<JournalBounds> = {}): Promise<BlobStore> {
  const store = await createDiskBlobStore({ dir, log, journal: { ...KEEPING, ...bounds } });
  stores.push(store);
  return store;
}
const segmentsOf = async (dir: string): Promise<string[]> =>
  (await readdir(join(dir, 'journal'))).sort().map((name) => join(dir, 'journal', name));

/** As after a power cut: of files that nobody synced nothing is left, or their name alone, or other bytes. */
async function loseFiles(dir: string, keys: string[]): Promise<void> {
  for (const [index, key] of keys.entries()) {
    const path = join(dir, 'blobs', key);
    if (index % 3 === 0) await rm(path);
    else if (index % 3 === 1) await truncate(path, 0);
    else await writeFile(path, new Uint8Array((await stat(path)).size));
  }
}

/** One more segment, as a process that was killed leaves it. */
async function leaveSegment(dir: string, records: JournalRecord[]): Promise<void> {
  const segment = await createSegment(join(dir, 'journal'), (await segmentsOf(dir)).length + 1);
  await appendTo(segment, records);
  await closeSegment(segment);
}

/** A segment up to the end of its last record, which no zero ends. */
const withoutZeros = (segment: Buffer): Buffer =>
  segment.subarray(0, segment.findLastIndex((byte) => byte !== 0) + 1);

/** Puts blobs that differ, at once, and returns what is to be read back. */
async function putSome(store: BlobStore, most: number): Promise<Map<string, Uint8Array>> {
  const blobs = new Map(
    Array.from({ length: most }, (_, index) => [newBlobKey(), content(index * 7, index + 1)] as const),
  );
  await Promise.all([...blobs].map(([key, bytes]) => store.put(key, bytes)));
  return blobs;
}

async function expectAll(store: BlobStore, blobs: Map<string, Uint8Array>): Promise<void> {
  expect(await listed(store)).toEqual([...blobs.keys()].sort());
  for (const [key, bytes] of blobs) expect(await readWhole(store, key)).toEqual(bytes);
}

function createCollectingLogger() {
  const said: string[] = [];
  return { logger: pino({ level: 'warn' }, { write: (line) => void said.push(line) }), lines: () => said };
}

async function becomes(look: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt++) {
    if (await look()) return;
    await Bun.sleep(20);
  }
  throw new Error('it did not become so within ten seconds');
}

describe('journal of small blobs', () => {
  test('what a power cut took from the files is restored by the next start, and what the next one took by the one after it', async () => {
    const dir = newDir();
    const store = await open(dir);
    const first = await putSome(store, 600);
    await loseFiles(dir, [...first.keys()]);
    const second = await open(dir);
    await expectAll(second, first);
    const later = await putSome(second, 10);
    await loseFiles(dir, [...later.keys()]);
    const third = await open(dir);
    await expectAll(third, new Map([...first, ...later]));
  });

  test('what was removed does not come back, whether its file was lost or not', async () => {
    const dir = newDir();
    const store = await open(dir);
    const blobs = await putSome(store, 6);
    const [first = '', second = '', ...others] = blobs.keys();
    await store.remove([first, second]);
    // The removal of a file may get lost, too.
    await writeFile(join(dir, 'blobs', first), blobs.get(first) ?? '');
    const again = await open(dir);
    expect(await listed(again)).toEqual(others.sort());
  });

  test('removals are restored in the order in which they were told, over several segments', async () => {
    const dir = newDir();
    await mkdir(join(dir, 'journal'), { recursive: true });
    const keys = [newBlobKey(), newBlobKey(), newBlobKey()];
    for (const bytes of [content(10), null])
      await leaveSegment(
        dir,
        keys.map((key) => ({ key, bytes })),
      );
    const store = await open(dir);
    expect(await listed(store)).toEqual([]);
  });

  test.each([
    ['half of the last record', (bytes: Buffer) => bytes.subarray(0, -100)],
    ['a head without its bytes', (bytes: Buffer) => bytes.subarray(0, -200)],
    [
      'a changed byte in the last record',
      (bytes: Buffer) => Buffer.concat([bytes.subarray(0, -1), Buffer.from('x')]),
    ],
  ])('a segment that ends in %s keeps all records before it', async (_, damage) => {
    const dir = newDir();
    const store = await open(dir);
    const whole = await putSome(store, 20);
    const last = newBlobKey();
    await store.put(last, content(200, 99));
    const [segment = ''] = await segmentsOf(dir);
    await writeFile(segment, damage(withoutZeros(await readFile(segment))));
    await loseFiles(dir, [...whole.keys()]);
    await rm(join(dir, 'blobs', last));
    const again = await open(dir);
    await expectAll(again, whole);
  });

  test.each([-1, 0, 1])(
    'a blob of the largest journaled size %i is put and restored, or has no need of it',
    async (more) => {
      const dir = newDir();
      const store = await open(dir);
      const key = newBlobKey();
      const bytes = content(JOURNALED_BYTES + more, 5);
      await store.put(key, bytes);
      const segments = await segmentsOf(dir);
      expect(segments).toHaveLength(more > 0 ? 0 : 1);
      if (more <= 0) await rm(join(dir, 'blobs', key));
      const again = await open(dir);
      expect(await readWhole(again, key)).toEqual(bytes);
    },
  );

  test('a full segment goes once its files are durable, by bytes and by records, and nothing is lost on the way', async () => {
    // The last has so many blobs in a segment that a process of its own syncs them.
    for (const bounds of [{ segmentBytes: 5_000 }, { segmentRecords: 10 }, { segmentRecords: 100 }]) {
      const dir = newDir();
      const store = await open(dir, bounds);
      const blobs = new Map<string, Uint8Array>();
      for (let round = 0; round < 12; round++)
        for (const [key, bytes] of await putSome(store, 40)) blobs.set(key, bytes);
      await becomes(async () => (await segmentsOf(dir)).length <= 1);
      await expectAll(store, blobs);
      await store.remove([...blobs.keys()]);
      const again = await open(dir, bounds);
      expect(await listed(again)).toEqual([]);
    }
  });

  test('a segment goes after its time', async () => {
    const dir = newDir();
    const store = await open(dir, { segmentMs: 50 });
    const blobs = await putSome(store, 3);
    await becomes(async () => (await segmentsOf(dir)).length === 0);
    await expectAll(store, blobs);
  });

  test('segments that an earlier process left go once their files are durable, and then there is room for more', async () => {
    const dir = newDir();
    await putSome(await open(dir), 3);
    const store = await open(dir, { segments: 1 });
    await becomes(async () => (await segmentsOf(dir)).length === 0);
    let more = 0;
    await becomes(async () => {
      await store.put(newBlobKey(), content(10));
      more += 1;
      return (await segmentsOf(dir)).length === 1;
    });
    expect(await listed(store)).toHaveLength(3 + more);
  });

  test.each([3, 100])(
    '%i blobs that could not be synced are written anew before the next sync',
    async (most) => {
      const dir = newDir();
      const { logger, lines } = createCollectingLogger();
      const store = await createDiskBlobStore({ dir, log: logger, journal: { ...KEEPING, segmentMs: 300 } });
      stores.push(store);
      const blobs = await putSome(store, most);
      const [first = '', ...others] = [...blobs.keys()];
      await rename(join(dir, 'blobs'), join(dir, 'blobs.away'));
      await becomes(async () => lines().some((line) => line.includes('cannot be synced')));
      expect(await segmentsOf(dir)).toHaveLength(1);
      await rename(join(dir, 'blobs.away'), join(dir, 'blobs'));
      await store.remove([first]);
      const inodeOf = async (key: string): Promise<number> => (await stat(join(dir, 'blobs', key))).ino;
      const before = await Promise.all(others.map(inodeOf));
      await becomes(async () => (await segmentsOf(dir)).length === 0);
      const after = await Promise.all(others.map(inodeOf));
      expect(after.filter((inode, index) => inode === before[index])).toEqual([]);
      blobs.delete(first);
      await expectAll(store, blobs);
    },
  );

  test('a segment whose blobs found no room is kept, and replayed until they do', async () => {
    const dir = newDir();
    const key = newBlobKey();
    await mkdir(join(dir, 'journal'), { recursive: true });
    await leaveSegment(dir, [{ key, bytes: content(10) }]);
    const left = await findSegments(join(dir, 'journal'));
    const written: string[] = [];
    let isFull = true;
    const files: JournaledFiles = {
      async replace(path) {
        if (isFull) throw Object.assign(new Error('no room'), { code: 'ENOSPC' });
        written.push(path);
      },
      remove: async () => undefined,
      has: async () => false,
    };
    const { logger, lines } = createCollectingLogger();
    const checkpointer = createCheckpointer({ root: dir, files, isRemoved: () => false, left, log: logger });
    for (const rounds of [1, 2]) {
      await becomes(async () => {
        checkpointer.run();
        return lines().length >= rounds;
      });
      expect([checkpointer.full.length, written]).toEqual([1, []]);
    }
    isFull = false;
    await becomes(async () => {
      checkpointer.run();
      return written.length > 0;
    });
    expect(written).toEqual([key]);
    await checkpointer.stop(1_000);
  });

  test('a start has nothing to write for blobs that were removed', async () => {
    const dir = newDir();
    const store = await open(dir);
    const blobs = await putSome(store, 10);
    await store.remove([...blobs.keys()]);
    const code = `
      const { createDiskBlobStore } = await import(${JSON.stringify(import.meta.resolve('../../../shared/adapters/blob/disk/store.ts'))});
      const store = await createDiskBlobStore({ dir: process.argv[1], log: { warn: console.error } });
      for await (const key of store.list()) console.error(key);`;
    const limited = [...withFileSizeLimit(0), process.execPath, '-e', code, dir];
    const child = Bun.spawn(limited, { stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' });
    expect({ said: await child.stderr.text(), code: await child.exited }).toEqual({ said: '', code: 0 });
  });

  test.each([3, 100])('a stop syncs the %i blobs of the journal, and leaves none in it', async (most) => {
    const dir = newDir();
    const store = await open(dir);
    const blobs = await putSome(store, most);
    await store.close();
    expect(await segmentsOf(dir)).toEqual([]);
    await expectAll(await open(dir), blobs);
  });

  test('a stop leaves none of the segments that an earlier process left', async () => {
    const dir = newDir();
    const blobs = await putSome(await open(dir), 100);
    const store = await open(dir);
    await store.close();
    expect(await segmentsOf(dir)).toEqual([]);
    await expectAll(await open(dir), blobs);
  });

  test('without room in the journal a blob is durable by itself', async () => {
    const dir = newDir();
    const store = await open(dir, { segments: 0 });
    const blobs = await putSome(store, 5);
    expect(await segmentsOf(dir)).toEqual([]);
    await expectAll(store, blobs);
  });

  test('a blob that the journal does not take is durable by itself; one whose file is refused leaves nothing', async () => {
    const dir = newDir();
    const store = await open(dir);
    await rename(join(dir, 'journal'), join(dir, 'journal.away'));
    const alone = newBlobKey();
    await store.put(alone, content(10));
    expect(await segmentsOf(dir).catch(() => [])).toEqual([]);
    await rename(join(dir, 'journal.away'), join(dir, 'journal'));
    const blocked = newBlobKey();
    await mkdir(join(dir, 'blobs', blocked), { recursive: true });
    await expect(store.put(blocked, content(10))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await rm(join(dir, 'blobs', blocked), { recursive: true });
    const blobs = await putSome(store, 5);
    await loseFiles(dir, [...blobs.keys()]);
    const again = await open(dir);
    await expectAll(again, blobs.set(alone, content(10)));
  });
});
