import { LRUCache } from 'lru-cache';
import type { Entry } from '../../../../shared/items/entry.ts';
import type { ItemRecordOf } from '../../../../shared/items/item-record.ts';
import { createSingleFlight } from '../../../../shared/single-flight.ts';
import { CORS_HEADERS } from '../../http/common-headers.ts';
import { compress } from '../../http/compress.ts';
import { datedUntil, dateKept } from '../../http/conditional.ts';
import { type Coding, codingFor, heldTag, MIN_CODED_BYTES, tagOfForm } from '../../http/content-coding.ts';
import { contentDisposition } from '../../http/content-disposition.ts';
import { isSet } from '../../http/parameters.ts';
import { contentHeaders, contentPolicy } from '../../items/content-headers.ts';
import type { ReadDependencies } from '../../items/dependencies.ts';
import type { ItemRead } from '../../items/resolve-short-url.ts';
import { etagOfEntry } from './serializer.ts';

/** Characters of prepared values kept in memory. */
const PREPARED_CHARACTERS = 16 * 1_048_576;

/** Answers a read of a key's short URL with the bare value. */
type RespondWithValue = (read: ItemRead<'kv'>, entry: Entry) => Promise<Response>;

export function createValueResponder(
  deps: Pick<ReadDependencies, 'clock' | 'responseMemory'>,
): RespondWithValue {
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

  return async ({ context, record, entry: cached }, entry) => {
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

/** Headers of an answer with a value, or with the list of a store's keys. */
export function valueHeaders(record: ItemRecordOf<'kv'>, contentType: string, etag: string) {
  const headers: Record<string, string> = {
    ...CORS_HEADERS,
    ...contentHeaders(record),
    ETag: etag,
    'Content-Type': contentType,
    ...contentPolicy(contentType, 'opaque', false),
  };
  return headers;
}
