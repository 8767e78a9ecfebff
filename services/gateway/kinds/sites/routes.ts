import { Elysia } from 'elysia';
import * as sites from '../../../../shared/contracts/site.ts';
import type { ItemRecordOf } from '../../../../shared/items/item-record.ts';
import type { SiteFile } from '../../../../shared/items/site-index.ts';
import { limited } from '../../admission/limited.ts';
import { answerOwnRead, answerRead } from '../../items/authorize.ts';
import type { ReadDependencies } from '../../items/dependencies.ts';
import { decodedPart } from '../../items/item-address.ts';
import { answerOwnerList } from '../../items/owner-list.ts';
import { answerRemoval } from '../../items/removal.ts';
import { heldJson } from '../../items/response-memory.ts';
import { instant, itemLinks, listedItem, quarantineField } from '../../items/serializer.ts';
import { json, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { BYTE_READ, byOwner, byteReadResponses, ownerList, removal } from '../../openapi/item-operations.ts';
import { ITEM, MAY_NEED_PASSWORD, OWNER, OWNER_ONLY, parameters, READER } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';
import { listedSample, SAMPLE } from '../../openapi/samples.ts';
import { readSiteArchiveRoute } from './archive-download.ts';
import type { SiteDependencies } from './dependencies.ts';
import { createSiteRoute, filesOf, replaceSiteRoute, SITE_SAMPLE } from './publish.ts';
import type { SiteResponder } from './respond.ts';

/** Sites of many files (specification, chapter 8). */
export const siteRoutes = (deps: SiteDependencies, responder: SiteResponder) =>
  new Elysia()
    .use(listSitesRoute(deps))
    .use(createSiteRoute(deps))
    .use(readSiteRoute(deps))
    .use(replaceSiteRoute(deps))
    .use(removeSiteRoute(deps))
    .use(readSiteArchiveRoute(deps))
    .use(readSiteFileRoute(deps, responder));

/** Lists the sites of an owner (specification 8.5). */
const listSitesRoute = (deps: ReadDependencies) =>
  new Elysia().use(limited(deps)).get(
    '/api/sites',
    ({ context }) =>
      answerOwnerList(deps, context, sites.listSites, (site, views) => ({
        ...listedItem('site', site, views, context.baseUrl),
        ...filesOf(site),
      })),
    {
      detail: documented(
        ownerList(
          {
            operationId: 'listSites',
            summary: 'List your sites',
            description: 'The sites that the owner token owns in a namespace.',
            tag: 'Sites',
            needs: 'site',
          },
          json('SiteList', { sites: [{ ...listedSample, ...SITE_SAMPLE }], none: [] }),
        ),
      ),
    },
  );

/** Reads the record of a site with the list of its files (specification 8.3). */
const readSiteRoute = (deps: SiteDependencies) =>
  new Elysia().use(limited(deps)).get(
    '/api/sites/:ns/:id',
    ({ context, params }) =>
      answerOwnRead(deps, context, 'site', params, async ({ record, views }) => {
        const { files } = await deps.indexes.read(record.content.indexKey);
        const site = siteRecord(record, files, views, context.baseUrl);
        // With `?token=` even the address is a secret.
        return heldJson(deps.responseMemory, context, site, { 'Cache-Control': 'private, no-store' });
      }),
    {
      detail: documented({
        operationId: 'readSite',
        summary: 'Read what files a site has',
        description: 'The record of the site with all its files, for its owner. Does not count a view.',
        tags: ['Sites'],
        security: OWNER_ONLY,
        parameters: parameters(...ITEM, ...OWNER),
        responses: {
          '200': ok(
            'The site.',
            json('Site', {
              site: {
                ...SAMPLE.name,
                url: SAMPLE.url,
                shortUrl: listedSample.shortUrl,
                title: 'Launch',
                ...SITE_SAMPLE,
                files: [
                  { path: 'assets/site.css', contentType: 'text/css; charset=utf-8', sizeBytes: 19 },
                  { path: 'index.html', contentType: 'text/html; charset=utf-8', sizeBytes: 101 },
                ],
                tags: ['docs', 'launch'],
                hasPassword: false,
                createdAt: SAMPLE.createdAt,
                updatedAt: SAMPLE.updatedAt,
                expiresAt: SAMPLE.expiresAt,
                views: 12,
              },
            }),
          ),
          ...failures([
            'OWNER_TOKEN_REQUIRED',
            'OWNER_TOKEN_WRONG',
            'NOT_FOUND',
            'QUARANTINED',
            'RATE_LIMITED',
          ]),
        },
        'x-example-requests': [
          { summary: 'A site', status: 200, ...byOwner('site') },
          { summary: 'Without a token', status: 403, needs: 'site' },
        ],
      }),
    },
  );

/** Serves one file of a site, with ranges and conditions (specification 8.3). */
const readSiteFileRoute = (deps: ReadDependencies, responder: SiteResponder) =>
  new Elysia().use(limited(deps)).get(
    '/api/sites/:ns/:id/files/*',
    ({ context, params }) =>
      answerRead(deps, context, 'site', params, ({ record }) =>
        // Behind a wildcard the path stays encoded.
        responder.file(context, record, decodedPart(params['*'])),
      ),
    {
      detail: documented({
        operationId: 'readSiteFile',
        summary: 'Download a file of a site',
        description: 'The bytes. Does not count a view.',
        tags: ['Sites'],
        security: MAY_NEED_PASSWORD,
        parameters: parameters(...ITEM, 'FilePath', ...READER, ...BYTE_READ),
        responses: byteReadResponses('A stylesheet', 'h1 { color: teal }\n'),
        'x-example-requests': [
          { summary: 'The entry', status: 200, needs: 'site', path: { filePath: 'index.html' } },
          { summary: 'In a folder', status: 200, needs: 'site', path: { filePath: 'assets/site.css' } },
          {
            summary: 'As a download',
            status: 200,
            needs: 'site',
            query: { dl: '1' },
            path: { filePath: 'assets/site.css' },
          },
          {
            summary: 'Its first bytes',
            status: 206,
            needs: 'site',
            path: { filePath: 'index.html' },
            headers: { Range: 'bytes=0-14' },
          },
        ],
      }),
    },
  );

/** Removes a site with all its files (specification 8.5). */
const removeSiteRoute = (deps: ReadDependencies) =>
  new Elysia()
    .use(limited(deps))
    .delete('/api/sites/:ns/:id', ({ context, params }) => answerRemoval(deps, context, 'site', params), {
      parse: 'none',
      detail: documented(
        removal({
          operationId: 'removeSite',
          summary: 'Delete a site',
          description: 'With all its files.',
          tag: 'Sites',
          needs: 'site',
        }),
      ),
    });

/** A site with all its files (specification 8.3). */
function siteRecord(record: ItemRecordOf<'site'>, files: SiteFile[], views: number, baseUrl: string) {
  const { namespace, id, title, tags, passwordHash, createdAt, updatedAt, expiresAt } = record;
  const { url, shortUrl } = itemLinks('site', record, baseUrl);
  return {
    namespace,
    id,
    url,
    shortUrl,
    title,
    ...filesOf(record),
    files: files.map(({ path, contentType, length }) => ({ path, contentType, sizeBytes: length })),
    tags,
    hasPassword: passwordHash !== null,
    ...quarantineField(record),
    createdAt: instant(createdAt),
    updatedAt: instant(updatedAt),
    expiresAt: instant(expiresAt),
    views,
  };
}
