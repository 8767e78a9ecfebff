import { type Static, Type } from '@sinclair/typebox';
import type { Kind } from './item.ts';

const Nullable = <T extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Boolean>>(schema: T) =>
  Type.Union([schema, Type.Null()]);

/** How a page is stored (specification 4.2). */
export const PageFormat = Type.Union([Type.Literal('HTML'), Type.Literal('MARKDOWN'), Type.Literal('TEXT')]);
export type PageFormat = Static<typeof PageFormat>;

/** An HTML, markdown or text page. */
export const HtmlContent = Type.Object({
  format: PageFormat,
  /** Language of a text page, for highlighting. */
  language: Nullable(Type.String()),
  contentType: Type.String(),
  filename: Nullable(Type.String()),
  showTopBar: Nullable(Type.Boolean()),
  /** Whether the owner named the page; otherwise the title follows the content on every update. */
  titleGiven: Type.Boolean(),
  sha256: Type.String(),
  blobKey: Type.String(),
  /** The blob of the rendered page; `null` when the stored bytes are the page. Records are stored with the field's name. */
  viewKey: Nullable(Type.String()),
});
export type HtmlContent = Static<typeof HtmlContent>;

/** A JSON document, byte for byte as it was sent. */
export const JsonContent = Type.Object({ sha256: Type.String(), blobKey: Type.String() });
export type JsonContent = Static<typeof JsonContent>;

/** The family of a file decides its size limit and its viewer. */
export const FILE_FAMILIES = ['text', 'image', 'audio', 'video', 'pdf', 'archive', 'font'] as const;
export type FileFamily = (typeof FILE_FAMILIES)[number];

export const FileContent = Type.Object({
  filename: Type.String(),
  contentType: Type.String(),
  family: Type.Union(FILE_FAMILIES.map((family) => Type.Literal(family))),
  sha256: Type.String(),
  blobKey: Type.String(),
  /** The blob of the rendered text; `null` for every other family. Records are stored with the field's name. */
  viewKey: Nullable(Type.String()),
  /** Where the source begins in the blob of markdown, which is rendered as a page and as a source; in bytes. Absent on files of earlier releases. */
  sourceAt: Type.Optional(Type.Integer()),
});
export type FileContent = Static<typeof FileContent>;

/** A site: all its files back to back in one blob, and where each lies in another. */
export const SiteContent = Type.Object({
  entryFile: Type.String(),
  /** Whether the owner named the site; absent on sites of earlier releases. */
  titleGiven: Type.Optional(Type.Boolean()),
  fileCount: Type.Integer(),
  blobKey: Type.String(),
  indexKey: Type.String(),
});
export type SiteContent = Static<typeof SiteContent>;

/** A key-value store: its entries are rows of their own. */
export const KvContent = Type.Object({});
export type KvContent = Static<typeof KvContent>;

/** The content of each kind: the fields beyond those of every item. */
export interface ContentOf {
  html: HtmlContent;
  json: JsonContent;
  file: FileContent;
  site: SiteContent;
  kv: KvContent;
}

/** The keys of all blobs that an item holds. */
export function blobKeysOf(content: ContentOf[Kind]): string[] {
  const { blobKey, viewKey, indexKey } = content as {
    blobKey?: string;
    viewKey?: string | null;
    indexKey?: string;
  };
  return [blobKey, viewKey, indexKey].filter((key) => key !== undefined && key !== null);
}
