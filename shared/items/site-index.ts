import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { BlobStore } from '../ports/blob-store.ts';
import { blobMissing, readBlob } from './read-blob.ts';

/** One file of a site: where its bytes lie in the packed blob. */
export const SiteFile = Type.Object({
  /** Relative to the site's root, NFC, without a leading slash. */
  path: Type.String(),
  offset: Type.Integer({ minimum: 0 }),
  length: Type.Integer({ minimum: 0 }),
  contentType: Type.String(),
  /** Without quotes. */
  etag: Type.String(),
});
export type SiteFile = Static<typeof SiteFile>;

/** The content of a site's index blob, as JSON, sorted by path. */
export const SiteIndex = Type.Object({ files: Type.Array(SiteFile) });
export type SiteIndex = Static<typeof SiteIndex>;

const isSiteIndex = TypeCompiler.Compile(SiteIndex);

/** Reads an index, and says how many bytes of text it is. @throws UNAVAILABLE when it is missing or damaged */
export async function readSiteIndex(
  blobs: BlobStore,
  indexKey: string,
): Promise<{ index: SiteIndex; bytes: number }> {
  const text = await readBlob(blobs, indexKey);
  const index = parsed(indexKey, new TextDecoder().decode(text));
  if (!isSiteIndex.Check(index)) throw blobMissing(indexKey, new TypeError('it is no site index'));
  return { index, bytes: text.length };
}

function parsed(indexKey: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw blobMissing(indexKey, error);
  }
}
