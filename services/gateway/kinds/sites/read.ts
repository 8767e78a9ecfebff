import { Elysia } from 'elysia';
import { limited } from '../../admission/limited.ts';
import { answerOwnRead } from '../../items/authorize.ts';
import { json, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { byOwner } from '../../openapi/item-operations.ts';
import { ITEM, OWNER, OWNER_ONLY, parameters } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';
import { listedSample, SAMPLE } from '../../openapi/samples.ts';
import type { SiteDependencies } from './dependencies.ts';
import { siteRecord } from './serializer.ts';
import { SITE_SAMPLE } from './upload-form.ts';

/** Reads the record of a site with the list of its files (specification 8.3). */
export const readSite = (deps: SiteDependencies) =>
  new Elysia().use(limited(deps)).get(
    '/api/sites/:ns/:id',
    ({ context, params }) =>
      answerOwnRead(deps, context, 'site', params, async ({ record, views }) => {
        const { files } = await deps.indexes.read(record.content.indexKey);
        const site = siteRecord(record, files, views, context.baseUrl);
        // With `?token=` even the address is a secret.
        return Response.json(site, { headers: { 'Cache-Control': 'private, no-store' } });
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
                ...{
                  ...SAMPLE.name,
                  url: SAMPLE.url,
                  shortUrl: listedSample.shortUrl,
                  title: 'Launch',
                  ...SITE_SAMPLE,
                },
                files: [
                  { path: 'assets/site.css', contentType: 'text/css; charset=utf-8', sizeBytes: 19 },
                  { path: 'index.html', contentType: 'text/html; charset=utf-8', sizeBytes: 101 },
                ],
                ...{ tags: ['docs', 'launch'], hasPassword: false },
                ...{ createdAt: SAMPLE.createdAt, updatedAt: SAMPLE.updatedAt },
                ...{ expiresAt: SAMPLE.expiresAt, views: 12 },
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
