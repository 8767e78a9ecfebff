import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { nanoid } from 'nanoid';
import { errorCode } from '../../shared/error-code.ts';
import { syncPath } from '../../shared/sync-path.ts';
import { pathsOf } from './backup-folder.ts';
import { createLookup, inWindows, type ListedBlob, readBlobList, readLines, toLine } from './blob-list.ts';
import { WANTED } from './dump-database.ts';
import { digestOf, writeWithDigest } from './file-digest.ts';
import type { Manifest } from './manifest.ts';
import { ToolError } from './run-tool.ts';
import type { Source } from './stores.ts';

interface CopyOptions {
  folder: string;
  data: string;
  blobs: Source['blobs'];
  /** The backup that was in this folder before. */
  previous: Manifest | null;
  onBlob(copied: boolean): void;
}

/** A blob that an item of the snapshot has. */
interface Wanted {
  key: string;
  sha256: string | null;
  size: number | null;
  item: string;
}

/** Blobs at once. */
const WIDTH = 8;

/** Copies the blobs that are not here yet, and lists all of them. */
export async function copyBlobs(options: CopyOptions): Promise<Manifest['blobs']> {
  const { folder, data } = options;
  const lookUp = createLookup(await previousList(options));
  const total = { count: 0, bytes: 0 };
  const touched = new Set<string>();
  const listed = async function* (): AsyncGenerator<Wanted & { known: ListedBlob | null }> {
    for await (const wanted of readWanted(join(folder, data, WANTED)))
      yield { ...wanted, known: await lookUp(wanted.key) };
  };
  const file = `${data}/blobs.tsv`;
  const lines = async function* (): AsyncGenerator<Uint8Array> {
    const work = (wanted: Wanted & { known: ListedBlob | null }) => keepOrCopy(wanted, options, touched);
    for await (const blob of inWindows(listed(), WIDTH, work)) {
      total.count += 1;
      total.bytes += blob.size;
      yield Buffer.from(toLine(blob));
    }
  };
  const { sha256 } = await writeWithDigest(join(folder, file), lines());
  for (const changed of touched) await syncPath(changed);
  await syncPath(pathsOf(folder).blobs);
  await rm(join(folder, data, WANTED));
  await syncPath(join(folder, data));
  return { file, ...total, sha256 };
}

/** A list that is damaged is not used: then the hashes of what is here are taken anew. */
async function previousList({ folder, previous }: CopyOptions): Promise<AsyncGenerator<ListedBlob>> {
  if (previous !== null) {
    const path = join(folder, previous.blobs.file);
    const digest = await digestOf(path).catch(() => null);
    if (digest?.sha256 === previous.blobs.sha256) return readBlobList(path);
  }
  return (async function* () {})();
}

async function* readWanted(path: string): AsyncGenerator<Wanted> {
  // `\N` is what PostgreSQL writes for null.
  const orNull = (text = '\\N'): string | null => (text === '\\N' ? null : text);
  for await (const [key = '', sha256, size, namespace, id] of readLines(path)) {
    const known = orNull(size);
    yield {
      key,
      sha256: orNull(sha256),
      size: known === null ? null : Number(known),
      item: `/${namespace}/${id}`,
    };
  }
}

async function keepOrCopy(
  wanted: Wanted & { known: ListedBlob | null },
  options: CopyOptions,
  touched: Set<string>,
): Promise<ListedBlob> {
  const { key, known } = wanted;
  const path = pathsOf(options.folder).blob(key);
  const size = await stat(path).then(
    (found) => found.size,
    () => null,
  );
  let blob: ListedBlob | null = null;
  // One that is known and of another size was damaged since: its hash would be taken for the right one.
  if (known !== null) blob = size === known.size ? known : null;
  else if (size !== null) blob = await whatIsHere(wanted, path);
  const isHere = blob !== null && fits(wanted, blob);
  if (blob === null || !isHere) {
    blob = await copy(wanted, options);
    touched.add(dirname(path));
  }
  options.onBlob(!isHere);
  return blob;
}

/** Left by a backup that was not finished. A blob gets its name when it is whole. */
async function whatIsHere({ key }: Wanted, path: string): Promise<ListedBlob> {
  const { bytes, sha256 } = await digestOf(path);
  return { key, size: bytes, sha256 };
}

const fits = (wanted: Wanted, { size, sha256 }: ListedBlob): boolean =>
  (wanted.size === null || wanted.size === size) && (wanted.sha256 === null || wanted.sha256 === sha256);

async function copy(wanted: Wanted, { folder, blobs }: CopyOptions): Promise<ListedBlob> {
  const { key, item } = wanted;
  const advice = `Remove ${item} (docs/operations.md, "Reports and takedowns") or give the store its blob back, then run it again.`;
  const found = await blobs.open(key);
  if (found === null)
    throw new ToolError(`The blob ${key} of ${item} is not in the content store. ${advice}`);
  const paths = pathsOf(folder);
  const temporary = join(paths.incoming, nanoid());
  const { bytes: size, sha256 } = await writeWithDigest(temporary, found.body);
  const blob = { key, size, sha256 };
  if (size !== found.size || !fits(wanted, blob)) {
    await rm(temporary);
    throw new ToolError(`The blob ${key} of ${item} is not what was stored. ${advice}`);
  }
  await mkdir(dirname(paths.blob(key)), { mode: 0o700 }).catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw error;
  });
  await rename(temporary, paths.blob(key));
  return blob;
}
