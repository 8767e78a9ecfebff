import { type Static, Type } from '@sinclair/typebox';

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
