import { owned as texts } from '../texts/page-language.ts';
import { asHeader } from './header-text.ts';
import { reasonIn } from './refusal.ts';

export type Kind = 'html' | 'json' | 'kv' | 'file' | 'site';

/** An item as `/api/owner/items` has it. */
export interface OwnedItem {
  readonly namespace: string;
  readonly id: string;
  readonly url: string;
  readonly title: string;
  readonly type: Kind;
  readonly hasPassword: boolean;
  readonly sizeBytes: number;
  readonly views: number;
  readonly ttlDays: number;
  readonly createdAt: string;
  readonly expiresAt: string;
  /** Left out of an item that is not in quarantine. */
  readonly quarantine?: {
    readonly cause: 'malware' | 'link' | 'unscannable' | 'unscanned';
    readonly verdict: string;
    /** The file of a site. */
    readonly part: string | null;
  };
}

interface OwnedItemPage {
  readonly items: readonly OwnedItem[];
  readonly pages: number;
}

/** The server refused a request. Its message is for the reader. */
export class RefusedError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const PAGE_SIZE = 1_000;

/** More of one owner's items than this are not listed: a browser would hardly show them. */
const MAX_PAGES = 10;

/** All items of a token, newest first. @throws RefusedError */
export async function itemsOf(token: string): Promise<OwnedItem[]> {
  const found: OwnedItem[] = [];
  for (let page = 1; page <= MAX_PAGES; page++) {
    const answer = await ask<OwnedItemPage>('GET', `/api/owner/items?page=${page}&size=${PAGE_SIZE}`, token);
    found.push(...answer.items);
    if (page >= answer.pages) break;
  }
  return found;
}

export type Address = Pick<OwnedItem, 'namespace' | 'id'>;

/** The kind of an item. @throws RefusedError */
export const kindOf = async (token: string, item: Address): Promise<Kind> =>
  (await ask<{ type: Kind }>('GET', `${apiPath(item)}/owner-check`, token)).type;

/** Whether a token owns an item; `null` when there is no such item. @throws RefusedError */
export async function ownsItem(token: string, item: Address): Promise<boolean | null> {
  try {
    const { owner } = await ask<{ owner: boolean }>('GET', `${apiPath(item)}/owner-check`, token);
    return owner;
  } catch (error) {
    if (error instanceof RefusedError && error.status === 404) return null;
    throw error;
  }
}

/** Lets an item live for some days from now on. Resolves to when it expires. @throws RefusedError */
export async function renewItem(token: string, item: Address, days: number): Promise<string> {
  const { expiresAt } = await ask<{ expiresAt: string }>(
    'POST',
    `${apiPath(item)}/renew?ttl=${days}d`,
    token,
  );
  return expiresAt;
}

/** An item's views over time, as its owner gets them. */
export interface ItemStats {
  readonly hours: ReadonlyArray<{ readonly at: string; readonly views: number }>;
  readonly days: ReadonlyArray<{ readonly date: string; readonly views: number }>;
  readonly referers: ReadonlyArray<{ readonly host: string; readonly views: number }>;
  readonly otherReferers: number;
  readonly withoutReferer: number;
}

/** @throws RefusedError */
export const statsOf = (token: string, item: Address): Promise<ItemStats> =>
  ask<ItemStats>('GET', `${apiPath(item)}/stats`, token);

/** Puts the files of a ZIP in place of a site's. @throws RefusedError */
export async function replaceSite(token: string, { namespace, id }: Address, archive: Blob): Promise<void> {
  const headers = { 'Content-Type': 'application/zip' };
  await request('PUT', `/api/sites/${namespace}/${id}`, token, { headers, body: archive });
}

/** @throws RefusedError */
export async function removeItem(token: string, item: Address): Promise<void> {
  await request('DELETE', apiPath(item), token);
}

/** The API's address for the content of an item as a file, of a store for its keys, and the file's name there. */
export function downloadOf({ namespace, id, type }: OwnedItem): { path: string; name: string } {
  const address = `${namespace}/${id}`;
  if (type === 'html') return { path: `/api/html/${address}?dl=true`, name: `${id}.html` };
  if (type === 'json') return { path: `/api/json/${address}?dl=true`, name: `${id}.json` };
  if (type === 'file') return { path: `/api/files/${address}?dl=true`, name: id };
  if (type === 'kv') return { path: `/api/kv/${address}`, name: `${id}.json` };
  return { path: `/api/sites/${address}/archive`, name: `${id}.zip` };
}

/** The bytes at an address of the API, for the owner. @throws RefusedError */
export async function download(token: string, path: string): Promise<{ bytes: Blob; name: string | null }> {
  const response = await request('GET', path, token);
  const disposition = response.headers.get('Content-Disposition') ?? '';
  const [, encoded] = /filename\*=UTF-8''([^;]+)/i.exec(disposition) ?? [];
  const [, plain = null] = /filename="([^"]+)"/i.exec(disposition) ?? [];
  return { bytes: await response.blob(), name: encoded === undefined ? plain : decodeURIComponent(encoded) };
}

const apiPath = ({ namespace, id }: Address): string => `/api/${namespace}/${id}`;

const ask = async <T>(method: string, path: string, token: string): Promise<T> =>
  (await (await request(method, path, token)).json()) as T;

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Blob;
}

/** A request of the owner. @throws RefusedError */
export async function request(
  method: string,
  path: string,
  token: string,
  { headers: more = {}, body }: Sent = {},
): Promise<Response> {
  const headers = { Accept: 'application/json', 'X-Owner-Token': asHeader(token), ...more };
  const init = { method, headers, ...(body === undefined ? {} : { body }) };
  const response = await fetch(path, init).catch(() => {
    throw new RefusedError(0, texts.unreachable);
  });
  if (response.ok) return response;
  throw new RefusedError(response.status, await reasonIn(response));
}

/** The version that an answer names; `*`, any version, where it has no tag. */
export const versionOf = ({ headers }: Response): string => headers.get('ETag') ?? '*';

/** A request of the owner that changes one version; `null` when another one is there. @throws RefusedError */
export async function changeVersion(...sent: Parameters<typeof request>): Promise<Response | null> {
  try {
    return await request(...sent);
  } catch (error) {
    if (error instanceof RefusedError && error.status === 412) return null;
    throw error;
  }
}
