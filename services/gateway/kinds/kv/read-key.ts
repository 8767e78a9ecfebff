import { Elysia } from 'elysia';
import { errors } from '../../../../shared/errors.ts';
import type { CachedEntry, Entry } from '../../../../shared/items/entry.ts';
import { type ItemRecordOf, isKind } from '../../../../shared/items/item-record.ts';
import { limited } from '../../admission/limited.ts';
import { lastModified } from '../../http/conditional.ts';
import { heldTag } from '../../http/content-coding.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { allowRead } from '../../items/authorize.ts';
import { cacheControl } from '../../items/content-headers.ts';
import { isVisibleTo, itemNamed } from '../../items/find-live-item.ts';
import { json, notModified, ok, text } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { CONDITIONS, ITEM, MAY_NEED_PASSWORD, parameters, READER } from '../../openapi/parameters.ts';
import { failures, READER_CODES } from '../../openapi/responses.ts';
import { SAMPLE } from '../../openapi/samples.ts';
import type { StoreDependencies } from './dependencies.ts';
import { answerKey } from './follow.ts';
import { isKey, type KeyAddress } from './key.ts';
import { entryText, etagOfEntry } from './serializer.ts';

const EVENTS = 'id: 3.1207\ndata: "Hello"\n\nid: 4.1210\ndata: "Hello again"\n\n';

const TIMES = { updatedAt: SAMPLE.updatedAt, expiresAt: SAMPLE.expiresAt };

/** Reads a key with its value (specification 5.3). */
export const readKeyRoute = (deps: StoreDependencies) =>
  new Elysia()
    .use(limited(deps))
    .get('/api/kv/:ns/:id/:key', ({ context, params }) => answerReadKey(deps, context, params), {
      limit: 'reads',
      detail: documented({
        operationId: 'readKey',
        summary: 'Read a key',
        description:
          'The latest value, and when it was written. The address is stable: to poll, send the last ETag in `If-None-Match`. It names the value: `expiresAt` may change under it by a renewal, and `views` by reads. With `wait` the answer comes when the value is another one, or at the end of that time. With `Accept: text/event-stream` the value and each later one are sent as events: `id` is the version, a point, and a number that no other value has, `data` the JSON value; `event: gone` ends them when the key is gone. Does not count a view.',
        tags: ['KV'],
        security: MAY_NEED_PASSWORD,
        parameters: parameters(...ITEM, 'Key', ...READER, ...CONDITIONS, 'Wait', 'LastEventId'),
        responses: {
          '200': ok(
            'The value.',
            {
              ...json('Entry', {
                text: { ...SAMPLE.name, key: 'greeting', value: 'Hello', version: 3, ...TIMES, views: 12 },
                object: {
                  ...SAMPLE.name,
                  key: 'greeting',
                  value: { theme: 'dark' },
                  version: 1,
                  ...TIMES,
                  views: 0,
                },
              }),
              ...text('text/event-stream', EVENTS, 'events'),
            },
            [['Cache-Control'], ['ETag', 'Last-Modified', 'X-Accel-Buffering']],
          ),
          ...notModified(),
          ...failures([...READER_CODES, 'PRECONDITION_FAILED']),
        },
        'x-example-requests': [
          { summary: 'A key', status: 200, needs: 'kv' },
          { summary: 'Unchanged', status: 304, needs: 'kv', headers: { 'If-None-Match': '{etag}' } },
          {
            summary: 'Unchanged for a second',
            status: 304,
            needs: 'kv',
            query: { wait: '1' },
            headers: { 'If-None-Match': '{etag}' },
          },
        ],
      }),
    });

/** Answers with a key and its value. Reads of one key at once share a call. */
export const answerReadKey = (
  deps: StoreDependencies,
  context: RequestContext,
  address: KeyAddress,
): Promise<Response> =>
  answerKey(
    deps,
    context,
    async (found) => answerWith(deps, context, found),
    () => readEntryOf(deps, context, address),
  );

interface FoundKey {
  record: ItemRecordOf<'kv'>;
  entry: Entry;
  views: number;
}

function answerWith(
  { clock, responseMemory }: StoreDependencies,
  context: RequestContext,
  found: FoundKey,
): Response {
  const { record, entry, views } = found;
  const headers = {
    ...cacheControl(record),
    'Content-Type': 'application/json;charset=utf-8',
    ETag: etagOfEntry(entry),
    Vary: 'Accept',
    ...lastModified(entry.updatedAt, clock.now()),
  };
  const held = heldTag(context.request.headers, headers.ETag);
  if (held !== null) return new Response(null, { status: 304, headers: { ...headers, ETag: held } });
  const body = entryText(record, entry, views);
  responseMemory.holdMade(context, Buffer.byteLength(body));
  return new Response(body, { headers });
}

/** A key that the client may read. @throws NOT_FOUND, and what `allowRead` throws */
async function readEntryOf(
  deps: StoreDependencies,
  context: RequestContext,
  address: KeyAddress,
): Promise<FoundKey> {
  const { key } = address;
  const { record, views, cached } = await findKey(deps, context, address);
  await allowRead(deps, context, record);
  if (!isKey(key)) throw errors.keyNotFound(record.namespace, record.id, key);
  return { record, views, entry: await deps.storeEntries.read(record, key, cached, context.callContext) };
}

/** The store, and what the cache knows of the key, in one round trip; counts no view. @throws NOT_FOUND */
async function findKey(
  { lookup, clock }: StoreDependencies,
  context: RequestContext,
  { key, ...address }: KeyAddress,
): Promise<{ record: ItemRecordOf<'kv'>; views: number; cached: CachedEntry | null }> {
  const { callContext } = context;
  const item = itemNamed(address);
  const { record, views, entry } = await lookup.find(item, callContext, { key: isKey(key) ? key : null });
  if (!isVisibleTo(context, record, clock.now()) || !isKind(record, 'kv')) {
    throw errors.contentNotFound(item.namespace, item.id);
  }
  context.item = record;
  return { record, views, cached: entry };
}
