import { expect } from 'bun:test';
import { expectDocumented } from './documented.ts';

/** Perch wants one on every request. */
export const USER_AGENT = 'PerchAcceptance/1.0';

export type Body = string | Uint8Array | ReadableStream<Uint8Array>;

type QueryValue = string | number | boolean;

export interface RequestOptions {
  method?: string;
  query?: Record<string, QueryValue | string[]>;
  headers?: Record<string, string>;
  body?: Body;
  /** Sent as an `application/json` body. */
  json?: unknown;
  redirect?: 'follow' | 'manual';
}

/** The answer to a create (specification 3.2). */
export interface Published {
  namespace: string;
  id: string;
  url: string;
  shortUrl: string;
  ownerToken: string;
  link: string;
  ownerLink: string;
  managementLink: string | null;
  sizeBytes: number;
  tags: string[];
  ttlDays: number;
  hasPassword: boolean;
  createdAt: string;
  expiresAt: string;
  format: string;
  title: string;
  filename: string | null;
  showTopBar: boolean | null;
  /** Of pages and sites. */
  result?: { code: string; action: string };
}

/** The fields that say where an item is served of which nothing was said, where items have no hosts of their own. */
export const servedByPath = (baseUrl: string, { namespace, id }: Address, access = 'public') => ({
  deliveryMode: 'path',
  requestedDeliveryMode: null,
  effectiveDeliveryMode: 'path',
  deliveryModeMatched: true,
  hostUrl: null,
  access,
  hostingVersion: 1,
  managementLink: `${baseUrl}/manage/${namespace}/${id}`,
});

/** The address of an item. */
export type Address = Pick<Published, 'namespace' | 'id'>;

export const shortPath = ({ namespace, id }: Address): string => `/${namespace}/${id}`;
export const apiPath = (page: Address): string => `/api/html${shortPath(page)}`;
/** The path of its short link on any gateway. */
export const codePath = ({ shortUrl }: Published): string => new URL(shortUrl).pathname;
export const ownedBy = ({ ownerToken }: Published) => ({ headers: { 'X-Owner-Token': ownerToken } });

/** Options with a raw body of a type. */
export const raw = (body: Body, type: string, options: RequestOptions = {}): RequestOptions => ({
  ...options,
  body,
  headers: { 'Content-Type': type, ...options.headers },
});

export interface Client {
  readonly url: string;
  request(path: string, options?: RequestOptions): Promise<Response>;
  /** POST /api/html: an HTML page, unless a `json` or a `body` of another type says otherwise. */
  post(options: RequestOptions): Promise<Response>;
  /** A post that must succeed; text is published as HTML. */
  publish(content: string | RequestOptions, options?: RequestOptions): Promise<Published>;
  /** GET of the page's short URL. */
  read(page: Address, options?: RequestOptions): Promise<Response>;
  /** The page's API address; GET unless a method says otherwise. */
  api(page: Address, options?: RequestOptions): Promise<Response>;
}

interface ClientOptions {
  /** Behind a proxy, which adds headers of its own, answers are not held against the document. */
  isProxied?: boolean;
  /** Headers of every request that does not bring them itself. */
  usual?: Record<string, string>;
}

/** Speaks to one gateway. */
export function createClient(
  url: () => string,
  { isProxied = false, usual = {} }: ClientOptions = {},
): Client {
  const request: Client['request'] = async (
    path,
    { query, headers, json, redirect = 'manual', ...rest } = {},
  ) => {
    const target = new URL(`${url()}${path}`);
    for (const [name, value] of Object.entries(query ?? {}))
      for (const one of [value].flat()) target.searchParams.append(name, String(one));
    const typed = json === undefined ? {} : { 'Content-Type': 'application/json' };
    const response = await fetch(target, {
      ...rest,
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      redirect,
      // `fetch` would ask for a compressed form, and hide it.
      headers: { 'User-Agent': USER_AGENT, 'Accept-Encoding': 'identity', ...typed, ...usual, ...headers },
    });
    if (!isProxied) await expectDocumented(rest.method ?? 'GET', response);
    return response;
  };
  const post: Client['post'] = (options) => request('/api/html', { method: 'POST', ...options });
  return {
    get url() {
      return url();
    },
    request,
    post,
    async publish(content, options = {}) {
      const sent = typeof content === 'string' ? raw(content, 'text/html', options) : content;
      const response = await post(sent);
      const text = await response.text();
      if (response.status !== 201) throw new Error(`publishing got ${response.status}: ${text}`);
      return JSON.parse(text) as Published;
    },
    read: (page, options) => request(shortPath(page), options),
    api: (page, options) => request(apiPath(page), options),
  };
}

/** The JSON body of an answer that must have a status. */
export async function jsonOf<T = Record<string, unknown>>(response: Response, status = 200): Promise<T> {
  const text = await response.text();
  expect({ status: response.status, text }).toEqual({ status, text });
  return JSON.parse(text) as T;
}
