import type { Static } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import * as sites from '../../../../shared/contracts/site.ts';
import { exchangeOf } from '../../http/request-context.ts';
import { admitChange, answerRead } from '../../items/authorize.ts';
import { cacheControl } from '../../items/content-headers.ts';
import { answerOwnerList } from '../../items/owner-list.ts';
import { decodedPart } from '../../items/short-url.ts';
import { openCreate } from '../../uploads/create-request.ts';
import { createdResponse } from '../../uploads/created-response.ts';
import type { SiteDependencies } from './dependencies.ts';
import { readSiteCreate, readSiteReplacement } from './input.ts';
import type { SiteResponder } from './respond.ts';
import { createdSite, listedSite, siteRecord, updatedSite } from './serializer.ts';

/** Sites of many files (specification, chapter 8). */
export function siteRoutes(deps: SiteDependencies, responder: SiteResponder) {
  const { bus, limits, indexes } = deps;
  const { baseUrl } = deps.config;
  const raw = { parse: 'none' } as const;
  const listed = (site: Static<typeof sites.SiteItem>, views: number) => listedSite(site, views, baseUrl);

  return new Elysia({ prefix: '/api/sites' })
    .get('/', ({ request }) => answerOwnerList(deps, exchangeOf(request), sites.listSites, listed))
    .post(
      '/',
      async ({ request }) => {
        const exchange = exchangeOf(request);
        await limits.admit(exchange, 'uploads');
        const { input, ownerTokenOf } = await readSiteCreate(deps, exchange, openCreate(exchange));
        const { item, receiptSalt } = await call(bus, sites.createSite, input, exchange.context);
        return createdResponse(
          exchange,
          'site',
          createdSite(item, ownerTokenOf({ receiptSalt }), baseUrl),
          false,
        );
      },
      raw,
    )
    .get('/:ns/:id', ({ request, params }) =>
      answerRead(deps, exchangeOf(request), 'site', params, async ({ route, views }) => {
        const { files } = await indexes.read(route.content.indexKey);
        return Response.json(siteRecord(route, files, views, baseUrl), { headers: cacheControl(route) });
      }),
    )
    .put(
      '/:ns/:id',
      async ({ request, params }) => {
        const exchange = exchangeOf(request);
        const { owned } = await admitChange(deps, exchange, 'site', params);
        const packed = await readSiteReplacement(deps, exchange);
        const item = await call(bus, sites.replaceSite, { ...owned, packed }, exchange.context);
        return Response.json(updatedSite(item, baseUrl));
      },
      raw,
    )
    .delete(
      '/:ns/:id',
      async ({ request, params }) => {
        const exchange = exchangeOf(request);
        const { owned } = await admitChange(deps, exchange, 'site', params);
        await call(bus, sites.removeSite, owned, exchange.context);
        return new Response(null, { status: 204 });
      },
      raw,
    )
    .get('/:ns/:id/files/*', async ({ request, params }) => {
      const exchange = exchangeOf(request);
      return await answerRead(deps, exchange, 'site', params, ({ route }) =>
        // Behind a wildcard the path stays encoded.
        responder.file(exchange, route, decodedPart(params['*'])),
      );
    });
}
