import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import * as sites from '../../../../shared/contracts/site.ts';
import { limited } from '../../admission/limited.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { admitChange } from '../../items/authorize.ts';
import type { ItemAddress } from '../../items/find-live-item.ts';
import { json, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { byOwner } from '../../openapi/item-operations.ts';
import { ITEM, OWNER, OWNER_ONLY, parameters } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';
import { updatedSample } from '../../openapi/samples.ts';
import type { SiteDependencies } from './dependencies.ts';
import { readSiteReplacement } from './input.ts';
import { updatedSite } from './serializer.ts';
import { ARCHIVE_RULES, folderRequest, SITE_SAMPLE, uploadBody, zipRequest } from './upload-form.ts';

/** Replaces all files of a site in one step (specification 8.4). */
export const replaceSite = (deps: SiteDependencies) =>
  new Elysia()
    .use(limited(deps))
    .put('/api/sites/:ns/:id', ({ context, params }) => answerReplaceSite(deps, context, params), {
      parse: 'none',
      detail: documented({
        operationId: 'replaceSite',
        summary: 'Replace a site',
        description: `All files at once, in one step: nobody ever sees half of it. The address and the tags stay, the time to live is not renewed. ${ARCHIVE_RULES}`,
        tags: ['Sites'],
        security: OWNER_ONLY,
        parameters: parameters(...ITEM, ...OWNER, 'Entry'),
        requestBody: { required: true, content: uploadBody({}) },
        responses: {
          '200': ok(
            'It has the new files.',
            json('SiteUpdated', { updated: { ...updatedSample('sites', 120), ...SITE_SAMPLE } }),
          ),
          ...failures([
            ...(['VALIDATION_FAILED', 'TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'CONTENT_REJECTED'] as const),
            ...(['OWNER_TOKEN_REQUIRED', 'OWNER_TOKEN_WRONG', 'NOT_FOUND', 'RATE_LIMITED'] as const),
          ]),
        },
        'x-example-requests': [
          { summary: 'A bare ZIP', status: 200, ...byOwner('site'), body: zipRequest },
          { summary: 'A folder', status: 200, ...byOwner('site'), body: folderRequest },
        ],
      }),
    });

/** Replaces the files of a site by those that a request brings. */
export async function answerReplaceSite(
  deps: SiteDependencies,
  context: RequestContext,
  address: ItemAddress,
): Promise<Response> {
  const { owned } = await admitChange(deps, context, 'site', address);
  const packed = await readSiteReplacement(deps, context);
  const item = await call(deps.bus, sites.replaceSite, { ...owned, packed }, context.callContext);
  return Response.json(updatedSite(item, deps.config.baseUrl));
}
