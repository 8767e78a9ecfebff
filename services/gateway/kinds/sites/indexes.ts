import { LRUCache } from 'lru-cache';
import { readSiteIndex, type SiteFile, type SiteIndex } from '../../../../shared/items/site-index.ts';
import type { BlobStore } from '../../../../shared/ports/blob-store.ts';
import { createSingleFlight } from '../../../../shared/single-flight.ts';

export interface SiteIndexes {
  /** The place of each file of a site in its blob. Concurrent loads of one index are shared (single-flight). */
  read(indexKey: string): Promise<SiteIndex>;
}

/** Bytes of index text whose parsed form is kept in memory. */
const KEPT_BYTES = 16 * 1_048_576;

/** Indexes are immutable: what is in memory is never stale. */
export function createSiteIndexes(blobs: BlobStore): SiteIndexes {
  const parsed = new LRUCache<string, { index: SiteIndex; bytes: number }>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ bytes }) => bytes + 512,
  });
  const share = createSingleFlight<SiteIndex>();

  const load = async (indexKey: string): Promise<SiteIndex> => {
    const read = await readSiteIndex(blobs, indexKey);
    parsed.set(indexKey, read);
    return read.index;
  };

  return {
    async read(indexKey) {
      return parsed.get(indexKey)?.index ?? (await share(indexKey, () => load(indexKey)));
    },
  };
}

/** The file or redirect that a path within a site leads to. */
export type SiteAnswer =
  | { file: SiteFile; status: 200 | 404 }
  /** Relative to the site's root, decoded. */
  | { redirect: string };

/**
 * Finds what a site has at a path (specification 9.1).
 * @param sub the decoded path behind `/{ns}/{id}/`; empty for the root.
 * @param shown whether a browser shows the answer as a document, whose relative links count from its address.
 * @returns `null` when there is nothing and the site has no `404.html`.
 */
export function findSiteFile(
  index: SiteIndex,
  entryFile: string,
  sub: string,
  shown: boolean,
): SiteAnswer | null {
  const files = filesByPath(index);
  if (shown && sub === '' && entryFile.includes('/') && files.has(entryFile)) return { redirect: entryFile };
  const path = sub.normalize('NFC');
  const file = files.get(path === '' ? entryFile : path.endsWith('/') ? `${path}index.html` : path);
  if (file !== undefined) return { file, status: 200 };
  const ofFolder = path === '' ? undefined : files.get(`${path}/index.html`);
  if (ofFolder !== undefined) return shown ? { redirect: `${path}/` } : { file: ofFolder, status: 200 };
  const missing = files.get('404.html');
  return missing === undefined ? null : { file: missing, status: 404 };
}

const known = new WeakMap<SiteIndex, Map<string, SiteFile>>();

function filesByPath(index: SiteIndex): Map<string, SiteFile> {
  const before = known.get(index);
  if (before !== undefined) return before;
  const files = new Map(index.files.map((file) => [file.path, file]));
  known.set(index, files);
  return files;
}
