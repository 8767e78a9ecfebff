import { errors } from '../../../../shared/errors.ts';
import type { Entry } from '../../../../shared/items/entry.ts';
import { type ItemRecordOf, isKind, isVisible } from '../../../../shared/items/item-record.ts';
import { textResponse } from '../../http/compress.ts';
import { codingFor, heldTag } from '../../http/content-coding.ts';
import { contentDisposition } from '../../http/content-disposition.ts';
import { isSet } from '../../http/parameters.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { allowRead } from '../../items/authorize.ts';
import { cacheControl, robotsHeaders } from '../../items/content-headers.ts';
import { viewerAddresses, wantsPage } from '../../items/item-viewer.ts';
import { type ItemRead, type Responder, shortUrlError } from '../../items/resolve-short-url.ts';
import { wantsEvents } from '../../live/follow-request.ts';
import { servicePage } from '../../pages/service-page.ts';
import type { StoreDependencies } from './dependencies.ts';
import { answerKey, digestOfEntries, streamStore } from './follow.ts';
import { isKey } from './key.ts';
import { createValueResponder, valueHeaders } from './respond-with-value.ts';
import { storeListing } from './serializer.ts';
import { storePage } from './store-page.ts';
import { createStoreTables, type StoreTables } from './store-tables.ts';

type StoreRead = ItemRead<'kv'>;

/** Longest JSON text of a value, in bytes, that the page of a store shows. */
const SHOWN_VALUE_BYTES = 4_096;

/**
 * Makes the responder to short URLs of stores: the bare value of a key; of the store a page for people, and its keys as JSON for
 * all else (specification 9.1).
 */
export function createStoreResponder(
  deps: StoreDependencies,
  tables = createStoreTables(),
): Responder<'kv'>['respond'] {
  const respondWithValue = createValueResponder(deps);

  return async (read) => {
    const { context, record, entry, sub: key } = read;
    if (key === null && wantsEvents(context))
      return withViews(await streamStore(deps, context, record), read);
    if (key === null)
      return asksForPage(context)
        ? await respondWithPage(deps, tables, read)
        : await respondWithListing(deps, read);
    if (!isKey(key)) throw errors.keyNotFound(record.namespace, record.id, key);
    const response = await answerKey(
      deps,
      context,
      (found) => respondWithValue({ ...read, record: found.record }, found.entry),
      async () => ({ record, entry: await deps.storeEntries.read(record, key, entry, context.callContext) }),
      () => readAgain(deps, read, key),
    );
    return withViews(response, read);
  };
}

/** The value after a wait, and the store as it is then. @throws NOT_FOUND, GONE, and PASSWORD_REQUIRED when it may not be read as before */
async function readAgain(
  deps: StoreDependencies,
  { context, record: earlier }: StoreRead,
  key: string,
): Promise<{ record: ItemRecordOf<'kv'>; entry: Entry }> {
  const { record, entry } = await deps.lookup.find(earlier, context.callContext, { key });
  const now = deps.clock.now();
  if (!isVisible(record, now) || !isKind(record, 'kv')) throw shortUrlError(earlier, record, now);
  if (record.code !== earlier.code || record.passwordHash !== earlier.passwordHash)
    await allowRead(deps, context, record);
  return { record, entry: await deps.storeEntries.read(record, key, entry, context.callContext) };
}

/** The page of a store, for people. */
async function respondWithPage(
  deps: StoreDependencies,
  tables: StoreTables,
  { context, record, views }: StoreRead,
): Promise<Response> {
  const { namespace, id, title } = record;
  const { baseUrl, language } = context;
  const addresses = viewerAddresses({ ...deps, contentBaseUrl: deps.config.contentBaseUrl }, context, record);
  const { mediaUrl, reportUrl, downloadUrl, rawUrl, publicUrl, previewUrl } = addresses;
  const listed = await deps.storeEntries.list(record, SHOWN_VALUE_BYTES, context.callContext);
  const input = {
    namespace,
    id,
    title,
    baseUrl,
    language,
    count: listed.length,
    entries: listed.map((entry) => ({ ...entry, updatedAt: new Date(entry.updatedAt) })),
    createdAt: new Date(record.createdAt),
    expiresAt: new Date(record.expiresAt),
    reportUrl,
    downloadUrl,
    rawUrl,
    publicUrl,
    previewUrl,
    ownUrl: mediaUrl,
    state: digestOfEntries(record, listed),
  };
  const markup = storePage(input, tables.of(input));
  const headers = { ...robotsHeaders(record), ...cacheControl(record), 'X-Views': String(views) };
  deps.responseMemory.holdMade(context, Buffer.byteLength(markup));
  return servicePage(context, markup, { headers });
}

/** The keys of a store as JSON. */
async function respondWithListing(
  deps: StoreDependencies,
  { context, record, views }: StoreRead,
): Promise<Response> {
  const listed = await deps.storeEntries.list(record, 0, context.callContext);
  const etag = etagOfListing(record, listed);
  const headers = valueHeaders(record, 'application/json', etag);
  headers['X-Views'] = String(views);
  if (isSet(context.query(), 'dl')) {
    headers['Content-Disposition'] = contentDisposition('attachment', `${record.id}.json`);
  }
  const held = heldTag(context.request.headers, etag);
  if (held !== null) return new Response(null, { status: 304, headers: { ...headers, ETag: held } });
  const text = JSON.stringify(storeListing(record, listed, views));
  deps.responseMemory.holdMade(context, Buffer.byteLength(text));
  const coding = record.passwordHash === null ? codingFor(context.request.headers) : null;
  return await textResponse(text, headers, coding);
}

function withViews(response: Response, { views }: StoreRead): Response {
  response.headers.set('X-Views', String(views));
  return response;
}

/** A person, or the script of the page, which shows changes. */
const asksForPage = (context: RequestContext): boolean =>
  wantsPage(context) || (context.search !== '' && context.query().get('view') === 'page');

/** Changes with the store, with any of its values, and with its expiry. */
const etagOfListing = (record: ItemRecordOf<'kv'>, entries: Array<Pick<Entry, 'sequence'>>): string =>
  `"${digestOfEntries(record, entries, record.expiresAt)}"`;
