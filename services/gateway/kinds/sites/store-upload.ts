import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { Static } from '@sinclair/typebox';
import type { PackedSite } from '../../../../shared/contracts/site.ts';
import { errors } from '../../../../shared/errors.ts';
import { LIMITS } from '../../../../shared/items/item.ts';
import { openPart } from '../../../../shared/items/read-blob.ts';
import type { SiteFile, SiteIndex } from '../../../../shared/items/site-index.ts';
import { freeBytes } from '../../admission/memory-budget.ts';
import { pick } from '../../http/parameters.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { htmlTitle, TITLE_WITHIN } from '../../rendered-pages/page-head.ts';
import { putKeepingReserved } from '../../uploads/store-blob.ts';
import type { SiteDependencies } from './dependencies.ts';
import { createSitePacker, type PackedSiteFile, type SitePacker } from './packer.ts';
import type { SiteConcerns } from './site-concerns.ts';
import { unnamedEntry } from './site-layout.ts';
import { available } from './spool.ts';
import type { SpooledSite } from './spool-upload.ts';

/** Stored files that begin with one of them. */
export interface LaidOutSite {
  packed: Static<typeof PackedSite>;
  /** The title of the entry file, or its name when it has none. */
  suggestedTitle: string;
}

export interface StoredSite extends LaidOutSite {
  /** Equal for equal sites. */
  identity: string;
  concerns: SiteConcerns;
  /** Lays the files out anew, to keep another entry file or none; `null`: the upload names its own. */
  relayoutKeepingEntry: ((keptEntry: string | null) => Promise<LaidOutSite>) | null;
}

/**
 * Memory that unpacking takes: first for the directory of an archive, then for one file, packed and as it is in its archive, the
 * paths, and a buffer for writing.
 */
export const WORKING_BYTES = 3 * LIMITS.siteFileBytes;

/**
 * Unpacks and checks an upload, and puts it into the store. Whatever happens, nothing of the unpacked files stays on this
 * server's disk.
 * @param keptEntry the entry file of a site that is replaced, if its owner named it
 */
export async function storeSiteUpload(
  deps: SiteDependencies,
  context: RequestContext,
  upload: SpooledSite,
  keptEntry: string | null = null,
): Promise<StoredSite> {
  const entry = pick(context.query(), upload.fields, ['entry', 'entryFile']);
  const packer = await createSitePacker(`${upload.path}-packed`, deps.config.siteMaxBytes);
  try {
    await packFiles(deps, context, upload, packer);
    const named = typeof entry === 'string' ? entry : null;
    const site = await packer.finish(named, keptEntry);
    const stored = await storePacked(deps, context, site);
    const relayoutKeepingEntry = (kept: string | null) =>
      layOutAnew(deps, stored.packed, site.index, unnamedEntry(site.index.files, kept));
    return { ...stored, relayoutKeepingEntry: named === null ? relayoutKeepingEntry : null };
  } finally {
    await packer.abort();
  }
}

async function packFiles(
  { budget }: SiteDependencies,
  context: RequestContext,
  upload: SpooledSite,
  packer: SitePacker,
): Promise<void> {
  await using cleanUp = new AsyncDisposableStack();
  const memory = budget.large.open(context.clientKey);
  cleanUp.defer(() => memory.release());
  // Before anything of an archive is read: its directory lies in memory while the upload waits for room on the disk.
  await memory.take(WORKING_BYTES);
  const opened = await upload.open();
  cleanUp.defer(() => opened.close());
  // An archive is small beside what it unpacks to.
  await upload.room.take(opened.totalBytes);
  for await (const { path, bytes } of opened.files()) {
    if (context.request.signal.aborted) throw gone();
    await packer.add(path, bytes);
    freeBytes(bytes);
  }
}

const gone = () => errors.validationFailed([{ field: 'body', message: 'nobody waits for the answer.' }]);

/**
 * Puts a packed site and its index into the store. Unless a site claims the two blobs, the sweeper removes them.
 * @throws UNAVAILABLE when the store or this server's disk fails; TIMEOUT when their reservation could not be extended
 */
async function storePacked(
  deps: SiteDependencies,
  context: RequestContext,
  site: PackedSiteFile,
): Promise<Omit<StoredSite, 'relayoutKeepingEntry'>> {
  const { blobs, blobKeys } = deps;
  const index = new TextEncoder().encode(JSON.stringify(site.index));
  const [ofFiles, ofIndex, suggestedTitle] = await Promise.all([
    blobKeys.take(),
    blobKeys.take(),
    titleOf(site.index, site.entryFile, (entry) => headOf(site.path, entry)),
  ]);
  const [blobKey, indexKey] = [ofFiles.key, ofIndex.key];
  // One after the other: a put that goes on when the other has failed would outlive its reservation and its room on the disk.
  await putKeepingReserved(deps, [ofFiles, ofIndex], async () => {
    await blobs.put(indexKey, index);
    await blobs.putFile(blobKey, site.path);
  });
  // Storing a large site takes long: the service called next gets its full time.
  context.restartDeadline();
  const { entryFile, fileCount, totalSizeBytes } = site;
  const fileEtags = etagsOf(site.index, entryFile);
  return {
    packed: { entryFile, fileCount, totalSizeBytes, blobKey, indexKey, fileEtags },
    suggestedTitle,
    identity: createHash('sha256').update(index).digest('hex'),
    concerns: site.concerns,
  };
}

/** Lets stored files begin with another one. */
async function layOutAnew(
  { blobs }: SiteDependencies,
  packed: LaidOutSite['packed'],
  index: SiteIndex,
  entryFile: string,
): Promise<LaidOutSite> {
  const headInStore = async ({ offset, length }: SiteFile): Promise<string> => {
    if (length === 0) return '';
    const range = { start: offset, end: offset + Math.min(length, TITLE_WITHIN) - 1 };
    return await new Response(await openPart(blobs, packed.blobKey, range)).text();
  };
  return {
    packed: { ...packed, entryFile, fileEtags: etagsOf(index, entryFile) },
    suggestedTitle: await titleOf(index, entryFile, headInStore),
  };
}

/** The ETags of all files, each once, that of the entry file first. */
function etagsOf(index: SiteIndex, entryFile: string): string[] {
  const entry = index.files.filter(({ path }) => path === entryFile);
  return [...new Set([...entry, ...index.files].map(({ etag }) => etag))];
}

async function titleOf(
  index: SiteIndex,
  entryFile: string,
  read: (file: SiteFile) => Promise<string>,
): Promise<string> {
  const entry = index.files.find((file) => file.path === entryFile);
  const head = entry?.contentType.startsWith('text/html') ? await read(entry) : '';
  return htmlTitle(head) ?? entryFile;
}

async function headOf(path: string, { offset, length }: SiteFile): Promise<string> {
  const file = await available(() => open(path, 'r'));
  try {
    const bytes = new Uint8Array(Math.min(length, TITLE_WITHIN));
    const { bytesRead } = await available(() => file.read(bytes, 0, bytes.length, offset));
    return new TextDecoder().decode(bytes.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}
