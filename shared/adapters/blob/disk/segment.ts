import { open, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { nullWhen } from '../../../error-code.ts';
import { syncPath } from '../../../sync-path.ts';
import { NEW_AND_SYNCED } from './blob-files.ts';
import { createPreallocatedFile, type PreallocatedFile } from './preallocated-file.ts';
import { encodeRecord, type JournalRecord, readRecords } from './records.ts';

/** A file of the journal. Records are only ever added behind the last one; zeros may follow. */
export interface Segment {
  number: number;
  path: string;
  /** Keys of all records that are or may be in it. */
  keys: Set<string>;
  /** Bytes of its records. */
  bytes: number;
  /** Writes of blobs whose records are in it: until they have ended it is needed. */
  writes: Set<Promise<void>>;
  /** Whether its blobs have to be written once more: of some it is not known that the disk has them or will have them. */
  needsReplay: boolean;
  /** `null` once nothing more is added. */
  file: PreallocatedFile | null;
}

const NAME = /^(\d{12})\.log$/;

const segmentOf = (number: number, path: string, file: PreallocatedFile | null): Segment => ({
  number,
  path,
  file,
  bytes: 0,
  needsReplay: file === null,
  keys: new Set<string>(),
  writes: new Set<Promise<void>>(),
});

/** A new segment, of which the folder knows on the disk, too. */
export async function createSegment(folder: string, number: number): Promise<Segment> {
  const path = join(folder, `${String(number).padStart(12, '0')}.log`);
  const file = await open(path, NEW_AND_SYNCED, 0o600);
  try {
    await syncPath(folder);
  } catch (error) {
    await file.close();
    await rm(path, { force: true });
    throw error;
  }
  return segmentOf(number, path, createPreallocatedFile(file));
}

/** Resolves when all records are on the disk; when it rejects the segment may end in a part of them, and is not to be used again. */
export async function appendTo(segment: Segment, records: JournalRecord[]): Promise<void> {
  const { file, path, keys } = segment;
  if (file === null) throw new Error(`${path} takes no more records`);
  for (const { key } of records) keys.add(key);
  const buffers = records.flatMap(encodeRecord).filter(({ length }) => length > 0);
  await file.append(buffers);
  segment.bytes += buffers.reduce((sum, { length }) => sum + length, 0);
}

/** Ends the adding of records. */
export async function closeSegment(segment: Segment): Promise<void> {
  const { file } = segment;
  segment.file = null;
  await file?.close();
}

/** The segments that an earlier process left, oldest first, all of them to be replayed. */
export async function findSegments(folder: string): Promise<Segment[]> {
  const names = (await readdir(folder)).filter((name) => NAME.test(name)).sort();
  return names.map((name) => segmentOf(Number(NAME.exec(name)?.[1]), join(folder, name), null));
}

/** The whole records of a segment, in order; none when an earlier process has just removed it. */
export async function recordsOf({ path }: Segment): Promise<JournalRecord[]> {
  const content = await readFile(path).catch(nullWhen('ENOENT'));
  return content === null ? [] : [...readRecords(content)];
}

/** For good: a later segment, which may tell of removals, must not go before it. */
export async function removeSegment({ path }: Segment): Promise<void> {
  await rm(path, { force: true });
  await syncPath(dirname(path));
}
