import { LRUCache } from 'lru-cache';
import { errors } from '../../../../shared/errors.ts';
import type { Entry } from '../../../../shared/items/entry.ts';
import { type ItemRecordOf, isKind, isVisible } from '../../../../shared/items/item-record.ts';
import { createSingleFlight } from '../../../../shared/single-flight.ts';
import { CORS_HEADERS } from '../../http/common-headers.ts';
import { compress, textResponse } from '../../http/compress.ts';
import { datedUntil, dateKept } from '../../http/conditional.ts';
import { type Coding, codingFor, heldTag, MIN_CODED_BYTES, tagOfForm } from '../../http/content-coding.ts';
import { contentDisposition } from '../../http/content-disposition.ts';
import { isSet } from '../../http/parameters.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { allowRead } from '../../items/authorize.ts';
import { cacheControl, contentHeaders, contentPolicy, robotsHeaders } from '../../items/content-headers.ts';
import type { ReadDependencies } from '../../items/dependencies.ts';
import { viewerAddresses, wantsPage } from '../../items/item-viewer.ts';
import { type ItemRead, type Responder, shortUrlError } from '../../items/resolve-short-url.ts';
import { wantsEvents } from '../../live/follow-request.ts';
import { servicePage } from '../../pages/service-page.ts';
import { createStoreEntries } from './entries.ts';
import { answerKey, digestOfEntries, streamStore } from './follow.ts';
import { isKey } from './key.ts';
import { etagOfEntry, storeListing } from './serializer.ts';
import { storePage } from './store-page.ts';
import { createStoreTables } from './store-tables.ts';

type StoreRead = ItemRead<'kv'>;

/** Characters of prepared values kept in memory. */
const PREPARED_CHARACTERS = 16 * 1_048_576;

/** Longest JSON text of a value, in bytes, that the page of a store shows. */
const SHOWN_VALUE_BYTES = 4_096;

/**
 * Makes the responder to short URLs of stores: the bare value of a key; of the store a page for people, and its keys as JSON for
 * all else (specification 9.1).
 */
export function createStoreResponder(
  deps: ReadDependencies,
  tables = createStoreTables(),
): Responder<'kv'>['respond'] {
  const entries = createStoreEntries(deps.bus);
  const { contentBaseUrl } = deps.config;
  // One prepared value serves every read of it; a response copies headers faster from `Headers` than from a record.
  const prepared = new LRUCache<string, PreparedValue>({
    maxSize: PREPARED_CHARACTERS,
    sizeCalculation: ({ body }) => body.length + 1_024,
  });

  const share = createSingleFlight<PreparedValue | null>();

  const plainForm = (record: ItemRecordOf<'kv'>, entry: Entry): PreparedValue => {
    const name = nameOf(record, entry);
    const known = prepared.get(name);
    if (known !== undefined) return known;
    const value = prepare(record, entry);
    prepared.set(name, value);
    return value;
  };

  /** `null`: there is too much else to compress. */
  const compressedForm = (
    record: ItemRecordOf<'kv'>,
    entry: Entry,
    plain: PreparedValue,
    coding: Coding,
  ): PreparedValue | Promise<PreparedValue | null> => {
    const name = `${nameOf(record, entry)} ${coding}`;
    const known = prepared.get(name);
    if (known !== undefined) return known;
    return share(name, async () => {
      const made = await compress(new TextEncoder().encode(String(plain.body)), coding);
      if (made === 'busy') return null;
      const value = made === 'not-worth' ? plain : formOf(plain, made, coding);
      prepared.set(name, value);
      return value;
    });
  };

  const respondWithEntry = async (
    { context, record, entry: cached }: StoreRead,
    entry: Entry,
  ): Promise<Response> => {
    const plain = plainForm(record, entry);
    const held = heldTag(context.request.headers, plain.etag);
    const coding = held === null && plain.isLong ? codingFor(context.request.headers) : null;
    const form = coding === null ? plain : await compressedForm(record, entry, plain, coding);
    const { headers, body } = form ?? plain;
    const now = deps.clock.now();
    if (held === null) deps.responseMemory.holdMade(context, Buffer.byteLength(body));
    dateKept(headers, entry.updatedAt, now);
    const response =
      held === null ? new Response(body, { headers }) : new Response(null, { status: 304, headers });
    if (held !== null) response.headers.set('ETag', held);
    if (held === null && form !== null && context.search === '' && cached?.entry?.sequence === entry.sequence)
      context.plainAnswer = { record, entry, body, until: datedUntil(entry.updatedAt, now) };
    if (context.search !== '' && isSet(context.query(), 'dl')) {
      const filename = `${entry.key}.${entry.value.startsWith('"') ? 'txt' : 'json'}`;
      response.headers.set('Content-Disposition', contentDisposition('attachment', filename));
    }
    return response;
  };

  return async (read) => {
    const { context, record, entry, sub: key } = read;
    if (key === null && wantsEvents(context))
      return withViews(await streamStore(deps, entries, context, record), read);
    if (key === null) return asksForPage(context) ? await page(read) : await listing(read);
    if (!isKey(key)) throw errors.keyNotFound(record.namespace, record.id, key);
    const response = await answerKey(
      deps,
      entries,
      context,
      (found) => respondWithEntry({ ...read, record: found.record }, found.entry),
      async () => ({ record, entry: await entries.read(record, key, entry, context.callContext) }),
      () => readAgain(read, key),
    );
    return withViews(response, read);
  };

  /** The value after a wait, and the store as it is then. @throws NOT_FOUND, GONE, and PASSWORD_REQUIRED when it may not be read as before */
  async function readAgain(
    { context, record: earlier }: StoreRead,
    key: string,
  ): Promise<{ record: ItemRecordOf<'kv'>; entry: Entry }> {
    const { record, entry } = await deps.lookup.find(earlier, context.callContext, { key });
    const now = deps.clock.now();
    if (!isVisible(record, now) || !isKind(record, 'kv')) throw shortUrlError(earlier, record, now);
    if (record.code !== earlier.code || record.passwordHash !== earlier.passwordHash)
      await allowRead(deps, context, record);
    return { record, entry: await entries.read(record, key, entry, context.callContext) };
  }

  async function page({ context, record, views }: StoreRead): Promise<Response> {
    const { namespace, id, title } = record;
    const { baseUrl, language } = context;
    const addresses = viewerAddresses({ ...deps, contentBaseUrl }, context, record);
    const { mediaUrl, reportUrl, publicUrl, previewUrl } = addresses;
    const listed = await entries.list(record, SHOWN_VALUE_BYTES, context.callContext);
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

  async function listing({ context, record, views }: StoreRead): Promise<Response> {
    const listed = await entries.list(record, 0, context.callContext);
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
}

/** The parts of an answer with a value that do not differ from read to read. */
interface PreparedValue {
  headers: Headers;
  /** ETag of the plain form. */
  etag: string;
  body: string | Uint8Array;
  /** Whether it may be compressed. Values with a password are not: see docs/decisions/0028-compression.md. */
  isLong: boolean;
}

const nameOf = ({ version }: ItemRecordOf<'kv'>, { sequence }: Entry): string => `${version} ${sequence}`;

function prepare(record: ItemRecordOf<'kv'>, entry: Entry): PreparedValue {
  const isText = entry.value.startsWith('"');
  const etag = etagOfEntry(entry);
  const contentType = isText ? 'text/plain; charset=utf-8' : 'application/json';
  const body = isText ? String(JSON.parse(entry.value)) : entry.value;
  return {
    etag,
    headers: new Headers(valueHeaders(record, contentType, etag)),
    body,
    isLong: record.passwordHash === null && Buffer.byteLength(body) >= MIN_CODED_BYTES,
  };
}

function formOf(
  { headers: plain, etag, isLong }: PreparedValue,
  body: Uint8Array,
  coding: Coding,
): PreparedValue {
  const headers = new Headers(plain);
  headers.set('ETag', tagOfForm(etag, coding));
  headers.set('Content-Encoding', coding);
  return { headers, etag, body, isLong };
}

function valueHeaders(record: ItemRecordOf<'kv'>, contentType: string, etag: string) {
  const headers: Record<string, string> = {
    ...CORS_HEADERS,
    ...contentHeaders(record),
    ETag: etag,
    'Content-Type': contentType,
    ...contentPolicy(contentType, 'opaque', false),
  };
  return headers;
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
