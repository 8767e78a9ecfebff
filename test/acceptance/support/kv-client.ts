import {
  type Address,
  type Client,
  jsonOf,
  type Published,
  type RequestOptions,
  raw,
  shortPath,
} from './client.ts';

/** The answer to the create of a store (specification 3.2). */
export interface PublishedStore extends Published {
  key: string;
}

/** The answer to a write of a key (specification 5.4). */
export interface WrittenKey {
  namespace: string;
  id: string;
  key: string;
  sizeBytes: number;
  created: boolean;
  version: number;
  link: string;
  ownerLink: string;
  updatedAt: string;
  expiresAt: string;
}

/** A key (specification 5.3). */
export interface ReadKey {
  namespace: string;
  id: string;
  key: string;
  value: unknown;
  version: number;
  updatedAt: string;
  expiresAt: string;
  views: number;
}

/** The keys of a store (specification 5.6). */
export interface KeyListing {
  namespace: string;
  id: string;
  keys: string[];
  count: number;
  entries: Array<{ key: string; sizeBytes: number; updatedAt: string }>;
  createdAt: string;
  expiresAt: string;
  views: number;
}

/** 1 MB (specification 5.2). */
export const VALUE_LIMIT = 1_048_576;

/** Specification 5.2. */
export const KEY_LIMIT = 1_000;

export const storePath = (store: Address): string => `/api/kv${shortPath(store)}`;
export const keyPath = (store: Address, key: string): string =>
  `${storePath(store)}/${encodeURIComponent(key)}`;
/** The path behind the short URL. */
export const shortKeyPath = (store: Address, key: string): string =>
  `${shortPath(store)}/${encodeURIComponent(key)}`;

export const postStore = (client: Client, body: unknown, options: RequestOptions = {}): Promise<Response> =>
  client.request('/api/kv', { method: 'POST', ...options, json: body });

/** A store that must come to be, with this first key. */
export async function publishStore(
  client: Client,
  entry: { key?: string; value?: unknown } = {},
  options: RequestOptions = {},
): Promise<PublishedStore> {
  const response = await postStore(client, { key: 'first', value: 1, ...entry }, options);
  return await jsonOf<PublishedStore>(response, 201);
}

/** Options with the owner's token. */
const byOwner = ({ ownerToken }: { ownerToken: string }, options: RequestOptions): RequestOptions => ({
  ...options,
  headers: { 'X-Owner-Token': ownerToken, ...options.headers },
});

export type OwnedStore = Address & { ownerToken: string };

export const putKey = (
  client: Client,
  store: OwnedStore,
  key: string,
  value: unknown,
  options: RequestOptions = {},
): Promise<Response> =>
  client.request(keyPath(store, key), { method: 'PUT', ...byOwner(store, options), json: { value } });

/** PUT of a value given as JSON text, and thus as exactly these characters. */
export const putText = (client: Client, store: OwnedStore, key: string, text: string): Promise<Response> =>
  client.request(keyPath(store, key), {
    method: 'PUT',
    ...raw(`{"value":${text}}`, 'application/json', byOwner(store, {})),
  });

/** A PUT that must succeed. */
export const setKey = async (...args: Parameters<typeof putKey>): Promise<WrittenKey> =>
  await jsonOf<WrittenKey>(await putKey(...args));

export const removeKey = (
  client: Client,
  store: OwnedStore,
  key: string,
  options: RequestOptions = {},
): Promise<Response> => client.request(keyPath(store, key), { method: 'DELETE', ...byOwner(store, options) });

/** Reads a key, which must be there, through the API. */
export const getKey = async (client: Client, store: Address, key: string, options: RequestOptions = {}) =>
  await jsonOf<ReadKey>(await client.request(keyPath(store, key), options));

/** GET behind the short URL. */
export const resolveKey = (client: Client, store: Address, key: string, options: RequestOptions = {}) =>
  client.request(shortKeyPath(store, key), options);

export const listKeys = async (client: Client, store: Address, options: RequestOptions = {}) =>
  await jsonOf<KeyListing>(await client.request(storePath(store), options));
