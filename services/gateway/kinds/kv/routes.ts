import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import * as kv from '../../../../shared/contracts/kv.ts';
import { errors } from '../../../../shared/errors.ts';
import type { CachedEntry } from '../../../../shared/items/entry.ts';
import { type ItemRecordOf, isKind, isLive } from '../../../../shared/items/item-record.ts';
import { limited } from '../../admission/limited.ts';
import { matchesEtag } from '../../http/conditional.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { admitChange, admitRead } from '../../items/authorize.ts';
import { cacheControl } from '../../items/content-headers.ts';
import { itemNamed } from '../../items/find-live-item.ts';
import { answerOwnerList } from '../../items/owner-list.ts';
import { documented } from '../../openapi/documented.ts';
import { openCreate } from '../../uploads/create-request.ts';
import { createdResponse } from '../../uploads/created-response.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { readConditions } from './conditions.ts';
import { createStoreEntries } from './entries.ts';
import { readStoreCreate } from './input.ts';
import { isKey } from './key.ts';
import * as operations from './openapi.ts';
import { type KeyAddress, putKey } from './put-key.ts';
import { createdStore, entryText, etagOfEntry, listedStore, storeListing } from './serializer.ts';

/** Key-value stores (specification, chapter 5). */
export function kvRoutes(deps: UploadDependencies) {
  const { bus, lookup, access, clock } = deps;
  const { baseUrl } = deps.config;
  const entries = createStoreEntries(bus);

  return new Elysia({ prefix: '/api/kv' })
    .use(limited(deps))
    .get(
      '',
      ({ context }) =>
        answerOwnerList(deps, context, kv.listKv, (store, views) => listedStore(store, views, baseUrl)),
      { detail: documented(operations.list) },
    )
    .post(
      '',
      async ({ context }) => {
        const { input, ownerTokenOf } = await readStoreCreate(deps, context, openCreate(context));
        const { item, idempotencySalt } = await call(bus, kv.createKv, input, context.callContext);
        return createdResponse(
          context,
          'kv',
          createdStore(item, input.entry.key, ownerTokenOf({ idempotencySalt }), baseUrl),
          false,
        );
      },
      { limit: 'uploads', parse: 'none', detail: documented(operations.create) },
    )
    .get(
      '/:ns/:id',
      async ({ context, params }) => {
        const { record, views } = await admitRead(deps, context, 'kv', params);
        const listed = await entries.list(record, 0, context.callContext);
        return Response.json(storeListing(record, listed, views), { headers: cacheControl(record) });
      },
      { detail: documented(operations.readStore) },
    )
    .delete(
      '/:ns/:id',
      async ({ context, params }) => {
        const { owned } = await admitChange(deps, context, 'kv', params);
        await call(bus, kv.removeKv, owned, context.callContext);
        return new Response(null, { status: 204 });
      },
      { parse: 'none', detail: documented(operations.removeKv) },
    )
    .get(
      '/:ns/:id/:key',
      async ({ context, request, params }) => {
        const { record, views, cached } = await findKey(context, params);
        await access.allow(context, record);
        if (!isKey(params.key)) throw errors.keyNotFound(record.namespace, record.id, params.key);
        const entry = await entries.read(record, params.key, cached, context.callContext);
        const etag = etagOfEntry(entry);
        const headers = { ...cacheControl(record), ETag: etag };
        if (matchesEtag(request.headers.get('if-none-match'), etag)) {
          return new Response(null, { status: 304, headers });
        }
        const json = { ...headers, 'Content-Type': 'application/json;charset=utf-8' };
        return new Response(entryText(record, entry, views), { headers: json });
      },
      { limit: 'reads', detail: documented(operations.readKey) },
    )
    .put('/:ns/:id/:key', ({ context, params }) => putKey(deps, context, params), {
      parse: 'none',
      detail: documented(operations.writeKey),
    })
    .delete(
      '/:ns/:id/:key',
      async ({ context, request, params }) => {
        const { record, owned } = await admitChange(deps, context, 'kv', params);
        const { key } = params;
        if (!isKey(key)) throw errors.keyNotFound(owned.namespace, owned.id, key);
        const { ifMatch, ifAbsent } = readConditions(request);
        if (ifAbsent) {
          await entries.read(record, key, null, context.callContext);
          throw errors.keyTaken();
        }
        await call(bus, kv.removeEntry, { ...owned, key, ifMatch }, context.callContext);
        return new Response(null, { status: 204 });
      },
      { parse: 'none', detail: documented(operations.removeKey) },
    );

  /** The store, and what the cache knows of the key, in one round trip; counts no view. @throws NOT_FOUND */
  async function findKey(
    context: RequestContext,
    { key, ...address }: KeyAddress,
  ): Promise<{ record: ItemRecordOf<'kv'>; views: number; cached: CachedEntry | null }> {
    const { callContext } = context;
    const item = itemNamed(address);
    const { record, views, entry } = isKey(key)
      ? await lookup.findEntry(item, key, callContext, false)
      : { ...(await lookup.find(item, callContext, false)), entry: null };
    if (!isLive(record, clock.now()) || !isKind(record, 'kv')) {
      throw errors.contentNotFound(item.namespace, item.id);
    }
    context.item = record;
    return { record, views, cached: entry };
  }
}
