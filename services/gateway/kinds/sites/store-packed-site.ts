import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { Static } from '@sinclair/typebox';
import type { PackedSite } from '../../../../shared/contracts/site.ts';
import type { SiteFile } from '../../../../shared/items/site-index.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { htmlTitle, TITLE_WITHIN } from '../../items/page-head.ts';
import { keepReserved } from '../../uploads/store-blob.ts';
import type { SiteDependencies } from './dependencies.ts';
import type { TemporarySite } from './pack-site.ts';
import type { SiteConcerns } from './site-concerns.ts';
import { available } from './temporary-storage.ts';

export interface StoredSite {
  packed: Static<typeof PackedSite>;
  /** The title of the entry file, or its name when it has none. */
  suggestedTitle: string;
  /** Equal for equal sites. */
  identity: string;
  concerns: SiteConcerns;
}

/**
 * Puts a packed site and its index into the store. Unless a site claims the two blobs, the sweeper removes them.
 * @throws UNAVAILABLE when the store or this server's disk fails
 */
export async function storePackedSite(
  deps: SiteDependencies,
  context: RequestContext,
  site: TemporarySite,
): Promise<StoredSite> {
  const { blobs, blobKeys } = deps;
  const index = new TextEncoder().encode(JSON.stringify(site.index));
  const [blobKey, indexKey, suggestedTitle] = await Promise.all([
    blobKeys.take(),
    blobKeys.take(),
    titleOf(site),
  ]);
  await keepReserved(deps, [blobKey, indexKey], async () => {
    await Promise.all([blobs.putFile(blobKey, site.path), blobs.put(indexKey, index)]);
  });
  // Storing a large site takes long: the service called next gets its full time.
  context.restartDeadline();
  const { entryFile, fileCount, totalSizeBytes } = site;
  return {
    packed: { entryFile, fileCount, totalSizeBytes, blobKey, indexKey, fileEtags: etagsOf(site) },
    suggestedTitle,
    identity: createHash('sha256').update(index).digest('hex'),
    concerns: site.concerns,
  };
}

/** The ETags of all files, each once, that of the entry file first. */
function etagsOf({ index, entryFile }: TemporarySite): string[] {
  const entry = index.files.filter(({ path }) => path === entryFile);
  return [...new Set([...entry, ...index.files].map(({ etag }) => etag))];
}

async function titleOf({ index, entryFile, path }: TemporarySite): Promise<string> {
  const entry = index.files.find((file) => file.path === entryFile);
  const head = entry?.contentType.startsWith('text/html') ? await headOf(path, entry) : '';
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
