import type { Static } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import * as sites from '../../../../shared/contracts/site.ts';
import { limited } from '../../admission/limited.ts';
import { admitChange, answerRead } from '../../items/authorize.ts';
import { cacheControl } from '../../items/content-headers.ts';
import { answerOwnerList } from '../../items/owner-list.ts';
import { decodedPart } from '../../items/short-url.ts';
import { documented } from '../../openapi/documented.ts';
import { openCreate } from '../../uploads/create-request.ts';
import { createdResponse } from '../../uploads/created-response.ts';
import type { SiteDependencies } from './dependencies.ts';
import { readSiteCreate, readSiteReplacement } from './input.ts';
import * as operations from './openapi.ts';
import type { SiteResponder } from './respond.ts';
import { createdSite, listedSite, siteRecord, updatedSite } from './serializer.ts';

/** Sites of many files (specification, chapter 8). */
export function siteRoutes(deps: SiteDependencies, responder: SiteResponder) {
  const { bus, indexes } = deps;
  const { baseUrl } = deps.config;
  const listed = (site: Static<typeof sites.SiteItem>, views: number) => listedSite(site, views, baseUrl);

  return new Elysia({ prefix: '/api/sites' })
    .use(limited(deps))
    .get('', ({ context }) => answerOwnerList(deps, context, sites.listSites, listed), {
      detail: documented(operations.list),
    })
    .post(
      '',
      async ({ context }) => {
        const { input, ownerTokenOf } = await readSiteCreate(deps, context, openCreate(context));
        const { item, idempotencySalt } = await call(bus, sites.createSite, input, context.callContext);
        return createdResponse(
          context,
          'site',
          createdSite(item, ownerTokenOf({ idempotencySalt }), baseUrl),
          false,
        );
      },
      { limit: 'uploads', parse: 'none', detail: documented(operations.publish) },
    )
    .get(
      '/:ns/:id',
      ({ context, params }) =>
        answerRead(deps, context, 'site', params, async ({ record, views }) => {
          const { files } = await indexes.read(record.content.indexKey);
          return Response.json(siteRecord(record, files, views, baseUrl), { headers: cacheControl(record) });
        }),
      { detail: documented(operations.describe) },
    )
    .put(
      '/:ns/:id',
      async ({ context, params }) => {
        const { owned } = await admitChange(deps, context, 'site', params);
        const packed = await readSiteReplacement(deps, context);
        const item = await call(bus, sites.replaceSite, { ...owned, packed }, context.callContext);
        return Response.json(updatedSite(item, baseUrl));
      },
      { parse: 'none', detail: documented(operations.replace) },
    )
    .delete(
      '/:ns/:id',
      async ({ context, params }) => {
        const { owned } = await admitChange(deps, context, 'site', params);
        await call(bus, sites.removeSite, owned, context.callContext);
        return new Response(null, { status: 204 });
      },
      { parse: 'none', detail: documented(operations.remove) },
    )
    .get(
      '/:ns/:id/files/*',
      async ({ context, params }) => {
        return await answerRead(deps, context, 'site', params, ({ record }) =>
          // Behind a wildcard the path stays encoded.
          responder.file(context, record, decodedPart(params['*'])),
        );
      },
      { detail: documented(operations.readFile) },
    );
}
