import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import * as kv from '../../../../shared/contracts/kv.ts';
import { errors } from '../../../../shared/errors.ts';
import type { CachedEntry } from '../../../../shared/items/entry.ts';
import { isKind, isLive, type RouteOf } from '../../../../shared/items/route.ts';
import { matchesEtag } from '../../http/conditional.ts';
import { type Exchange, exchangeOf } from '../../http/request-context.ts';
import { admitChange, admitRead } from '../../items/authorize.ts';
import { cacheControl } from '../../items/content-headers.ts';
import { itemNamed } from '../../items/find-live-item.ts';
import { answerOwnerList } from '../../items/owner-list.ts';
import { openCreate } from '../../uploads/create-request.ts';
import { createdResponse } from '../../uploads/created-response.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { readConditions } from './conditions.ts';
import { createStoreEntries } from './entries.ts';
import { readStoreCreate } from './input.ts';
import { isKey } from './key.ts';
import { type KeyAddress, putKey } from './put-key.ts';
import { createdStore, entryText, etagOfEntry, listedStore, storeListing } from './serializer.ts';

/** Key-value stores (specification, chapter 5). */
export function kvRoutes(deps: UploadDependencies) {
  const { bus, limits, lookup, access, clock } = deps;
  const { baseUrl } = deps.config;
  const entries = createStoreEntries(bus);
  const raw = { parse: 'none' } as const;

  return new Elysia({ prefix: '/api/kv' })
    .get('/', ({ request }) =>
      answerOwnerList(deps, exchangeOf(request), kv.listStores, (store, views) =>
        listedStore(store, views, baseUrl),
      ),
    )
    .post(
      '/',
      async ({ request }) => {
        const exchange = exchangeOf(request);
        await limits.admit(exchange, 'uploads');
        const { input, ownerTokenOf } = await readStoreCreate(deps, exchange, openCreate(exchange));
        const { item, receiptSalt } = await call(bus, kv.createStore, input, exchange.context);
        return createdResponse(
          exchange,
          'kv',
          createdStore(item, input.entry.key, ownerTokenOf({ receiptSalt }), baseUrl),
          false,
        );
      },
      raw,
    )
    .get('/:ns/:id', async ({ request, params }) => {
      const exchange = exchangeOf(request);
      const { route, views } = await admitRead(deps, exchange, 'kv', params);
      const listed = await entries.list(route, 0, exchange.context);
      return Response.json(storeListing(route, listed, views), { headers: cacheControl(route) });
    })
    .delete(
      '/:ns/:id',
      async ({ request, params }) => {
        const exchange = exchangeOf(request);
        const { owned } = await admitChange(deps, exchange, 'kv', params);
        await call(bus, kv.removeStore, owned, exchange.context);
        return new Response(null, { status: 204 });
      },
      raw,
    )
    .get('/:ns/:id/:key', async ({ request, params }) => {
      const exchange = exchangeOf(request);
      await limits.admit(exchange, 'reads');
      const { route, views, cached } = await findKey(exchange, params);
      await access.allow(exchange, route);
      if (!isKey(params.key)) throw errors.keyNotFound(route.namespace, route.id, params.key);
      const entry = await entries.read(route, params.key, cached, exchange.context);
      const etag = etagOfEntry(entry);
      const headers = { ...cacheControl(route), ETag: etag };
      if (matchesEtag(request.headers.get('if-none-match'), etag)) {
        return new Response(null, { status: 304, headers });
      }
      const json = { ...headers, 'Content-Type': 'application/json;charset=utf-8' };
      return new Response(entryText(route, entry, views), { headers: json });
    })
    .put('/:ns/:id/:key', ({ request, params }) => putKey(deps, exchangeOf(request), params), raw)
    .delete(
      '/:ns/:id/:key',
      async ({ request, params }) => {
        const exchange = exchangeOf(request);
        const { route, owned } = await admitChange(deps, exchange, 'kv', params);
        const { key } = params;
        if (!isKey(key)) throw errors.keyNotFound(owned.namespace, owned.id, key);
        const { ifMatch, ifAbsent } = readConditions(request);
        if (ifAbsent) {
          await entries.read(route, key, null, exchange.context);
          throw errors.keyTaken();
        }
        await call(bus, kv.removeEntry, { ...owned, key, ifMatch }, exchange.context);
        return new Response(null, { status: 204 });
      },
      raw,
    );

  /** The store, and what the cache knows of the key, in one round trip; counts no view. @throws NOT_FOUND */
  async function findKey(
    exchange: Exchange,
    { key, ...address }: KeyAddress,
  ): Promise<{ route: RouteOf<'kv'>; views: number; cached: CachedEntry | null }> {
    const { context } = exchange;
    const item = itemNamed(address);
    const { route, views, entry } = isKey(key)
      ? await lookup.findEntry(item, key, context, false)
      : { ...(await lookup.find(item, context, false)), entry: null };
    if (!isLive(route, clock.now()) || !isKind(route, 'kv')) {
      throw errors.contentNotFound(item.namespace, item.id);
    }
    exchange.met = route;
    return { route, views, cached: entry };
  }
}
