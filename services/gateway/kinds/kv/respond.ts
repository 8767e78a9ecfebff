import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { errors } from '../../../../shared/errors.ts';
import type { CachedEntry, Entry } from '../../../../shared/items/entry.ts';
import type { RouteOf } from '../../../../shared/items/route.ts';
import { CORS_HEADERS } from '../../http/common-headers.ts';
import { matchesEtag } from '../../http/conditional.ts';
import { contentDisposition } from '../../http/content-disposition.ts';
import { isSet } from '../../http/flags.ts';
import { isPageNavigation } from '../../http/preferred-type.ts';
import type { Exchange } from '../../http/request-context.ts';
import { cacheControl, contentHeaders, isListed, robotsHeaders } from '../../items/content-headers.ts';
import { contentPolicy } from '../../items/content-policy.ts';
import { servicePage } from '../../pages/service-page.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { createStoreEntries } from './entries.ts';
import { isKey } from './key.ts';
import { etagOfEntry, storeListing } from './serializer.ts';
import { storePage } from './store-page.ts';

/** A read of a store that has been allowed. */
export interface StoreRead {
  exchange: Exchange;
  route: RouteOf<'kv'>;
  /** What the cache knows of the key. */
  entry: CachedEntry | null;
  /** Decoded; `null`: the store itself. */
  key: string | null;
  /** Views of the store, this one included. */
  views: number;
}

export interface StoreResponder {
  /** The bare value of a key; of the store a page for people, and its keys as JSON for all else (specification 9.1). */
  respond(read: StoreRead): Promise<Response>;
}

/** Characters of prepared values kept in memory. */
const PREPARED_CHARACTERS = 16 * 1_048_576;

/** Longest JSON text of a value, in bytes, that the page of a store shows. */
const SHOWN_VALUE_BYTES = 4_096;

export function createStoreResponder(deps: Pick<UploadDependencies, 'bus' | 'config'>): StoreResponder {
  const entries = createStoreEntries(deps.bus);
  const { baseUrl, contentBaseUrl } = deps.config;
  // The same for every read of one value; a response copies headers faster from `Headers` than from a record.
  const prepared = new LRUCache<string, PreparedValue>({
    maxSize: PREPARED_CHARACTERS,
    sizeCalculation: ({ body }) => body.length + 1_024,
  });

  const respondWithEntry = ({ exchange, route, views }: StoreRead, entry: Entry): Response => {
    const name = `${route.version} ${entry.sequence}`;
    let value = prepared.get(name);
    if (value === undefined) {
      value = prepare(route, entry);
      prepared.set(name, value);
    }
    const { headers, body, etag } = value;
    const response = isUnchanged(exchange, etag)
      ? new Response(null, { status: 304, headers })
      : new Response(body, { headers });
    response.headers.set('X-Views', String(views));
    if (exchange.search !== '' && isSet(exchange.query(), 'dl')) {
      const extension = body === entry.value ? 'json' : 'txt';
      const filename = `${entry.key}.${extension}`;
      response.headers.set('Content-Disposition', contentDisposition('attachment', filename));
    }
    return response;
  };

  return {
    async respond(read) {
      const { exchange, route, entry, key } = read;
      if (key === null) return isForPeople(exchange) ? await page(read) : await listing(read);
      if (!isKey(key)) throw errors.keyNotFound(route.namespace, route.id, key);
      return respondWithEntry(read, await entries.read(route, key, entry, exchange.context));
    },
  };

  async function page({ exchange, route, views }: StoreRead): Promise<Response> {
    const { namespace, id, title } = route;
    const listed = await entries.list(route, SHOWN_VALUE_BYTES, exchange.context);
    const markup = storePage({
      ...{ namespace, id, title, baseUrl, count: listed.length },
      entries: listed.map((entry) => ({ ...entry, updatedAt: new Date(entry.updatedAt) })),
      createdAt: new Date(route.createdAt),
      expiresAt: new Date(route.expiresAt),
      reportUrl: `${baseUrl}/report?item=${encodeURIComponent(`${namespace}/${id}`)}`,
      ...(isListed(route) ? { publicUrl: `${contentBaseUrl ?? baseUrl}/${namespace}/${id}` } : {}),
    });
    const headers = { ...robotsHeaders(route), ...cacheControl(route), 'X-Views': String(views) };
    return servicePage(exchange, markup, { headers });
  }

  async function listing({ exchange, route, views }: StoreRead): Promise<Response> {
    const listed = await entries.list(route, 0, exchange.context);
    const etag = etagOfListing(route, listed);
    const headers = valueHeaders(route, 'application/json', etag);
    headers['X-Views'] = String(views);
    if (isSet(exchange.query(), 'dl')) {
      headers['Content-Disposition'] = contentDisposition('attachment', `${route.id}.json`);
    }
    if (isUnchanged(exchange, etag)) return new Response(null, { status: 304, headers });
    return new Response(JSON.stringify(storeListing(route, listed, views)), { headers });
  }
}

/** The answer to a read of a value, but for what differs from read to read. */
interface PreparedValue {
  headers: Headers;
  etag: string;
  body: string;
}

function prepare(route: RouteOf<'kv'>, entry: Entry): PreparedValue {
  const isText = entry.value.startsWith('"');
  const etag = etagOfEntry(entry);
  const contentType = isText ? 'text/plain; charset=utf-8' : 'application/json';
  return {
    etag,
    headers: new Headers(valueHeaders(route, contentType, etag)),
    body: isText ? String(JSON.parse(entry.value)) : entry.value,
  };
}

function valueHeaders(route: RouteOf<'kv'>, contentType: string, etag: string) {
  const headers: Record<string, string> = {
    ...{ ...CORS_HEADERS, ...contentHeaders(route), ETag: etag },
    'Content-Type': contentType,
    'Content-Security-Policy': contentPolicy(contentType, false),
  };
  return headers;
}

const isUnchanged = ({ request }: Exchange, etag: string): boolean =>
  matchesEtag(request.headers.get('if-none-match'), etag);

/** Whether a person opens the address of a store and asks for no bytes (specification 9.2). */
const isForPeople = (exchange: Exchange): boolean =>
  isPageNavigation(exchange.request) && !isSet(exchange.query(), 'raw') && !isSet(exchange.query(), 'dl');

/** The same as long as it is this store, with the same values and the same life. */
function etagOfListing({ code, expiresAt }: RouteOf<'kv'>, entries: Array<Pick<Entry, 'sequence'>>): string {
  const sequences = entries.map(({ sequence }) => sequence);
  const digest = createHash('sha256').update([code, expiresAt, ...sequences].join(' '));
  return `"${digest.digest('base64url').slice(0, 22)}"`;
}
