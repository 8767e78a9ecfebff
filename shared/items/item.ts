/** The five kinds of content (specification 2.1). */
export const KINDS = ['html', 'json', 'kv', 'file', 'site'] as const;
export type Kind = (typeof KINDS)[number];

/** Paths of the API for items of each kind. */
export const API_PATHS: Readonly<Record<Kind, string>> = {
  html: '/api/html',
  json: '/api/json',
  kv: '/api/kv',
  file: '/api/files',
  site: '/api/sites',
};

/** The address of an item. */
export interface ItemRef {
  namespace: string;
  id: string;
}

/** The namespace that everybody shares; its items are listed and leave tombstones. */
export const PUBLIC_NAMESPACE = 'public';

/** Specification, chapter 24. */
export const LIMITS = {
  ttlDaysMin: 1,
  ttlDaysMax: 30,
  ttlDaysDefault: 15,
  /** Most days that the operator may allow an owner. */
  privilegedTtlDaysMax: 730,
  htmlBytes: 5 * 1_048_576,
  /** Most bytes of a page that is only previewed: it travels to its renderer, and back, in messages. */
  previewBytes: 1_048_576,
  jsonBytes: 1_048_576,
  jsonDepth: 512,
  jsonPerCollection: 10_000,
  kvValueBytes: 1_048_576,
  kvKeyCharacters: 256,
  kvKeys: 1_000,
  fileBytes: 5 * 1_048_576,
  audioBytes: 5 * 1_048_576,
  videoBytes: 20 * 1_048_576,
  filesPerNamespace: 1_000,
  siteFileBytes: 5 * 1_048_576,
  siteFiles: 1_000,
  sitePathCharacters: 500,
  titleCharacters: 200,
  filenameCharacters: 200,
  tags: 20,
  tagCharacters: 50,
  ownerTokenMinCharacters: 16,
  ownerTokenMaxCharacters: 512,
  passwordCharacters: 200,
} as const;

/** Hours in which a byte-identical repost finds the first (specification 3.4), and a replayed create its idempotency key. */
export const REPOST_HOURS = 24;

/** One string for one item, for keys of maps and messages in logs. */
export const itemKey = (item: ItemRef): string => `${item.namespace}/${item.id}`;

/** One string for one key of a store, by which writes of it queue. */
export const storeKey = (entry: ItemRef & { readonly key: string }): string =>
  `${itemKey(entry)} ${entry.key}`;

/** The item that an `itemKey` names: a namespace has no slash. */
export function itemOfKey(key: string): ItemRef {
  const slash = key.indexOf('/');
  return { namespace: key.slice(0, slash), id: key.slice(slash + 1) };
}
