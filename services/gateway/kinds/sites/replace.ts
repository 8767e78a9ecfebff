import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import * as sites from '../../../../shared/contracts/site.ts';
import { limited } from '../../admission/limited.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { admitChange } from '../../items/authorize.ts';
import type { ItemAddress } from '../../items/find-live-item.ts';
import { hostingFields } from '../../items/hosting.ts';
import { json, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { REPLACEMENT_FIELDS } from '../../openapi/form-fields.ts';
import { byOwner } from '../../openapi/item-operations.ts';
import { ITEM, OWNER, OWNER_ONLY, parameters } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';
import { updatedSample } from '../../openapi/samples.ts';
import { orQuarantined, UPDATED } from '../../uploads/upload-result.ts';
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
        description: `All files at once, in one step: nobody ever sees half of it. The address stays. \`tags\` replace those there are, \`ttl\` counts the time to live anew from now, \`title\` names the site; left out, tags and time to live stay, and the title follows the entry file unless you have given one. ${ARCHIVE_RULES}`,
        tags: ['Sites'],
        security: OWNER_ONLY,
        parameters: parameters(...ITEM, ...OWNER, 'Tags', 'ReplacementTtl', 'Title', 'Entry'),
        requestBody: { required: true, content: uploadBody(REPLACEMENT_FIELDS) },
        responses: {
          '200': ok(
            'It has the new files.',
            json('SiteUpdated', {
              updated: {
                ...{ ...updatedSample('sites', 120), tags: ['docs', 'launch'], ttlDays: 15 },
                ...{ ...SITE_SAMPLE, result: UPDATED },
              },
            }),
          ),
          ...failures([
            ...(['VALIDATION_FAILED', 'TTL_INVALID', 'TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const),
            ...([
              'CONTENT_REJECTED',
              'LINK_BLOCKED',
              'CLIENT_BLOCKED',
              'CONTENT_BLOCKED',
              'OWNER_TOKEN_REQUIRED',
              'OWNER_TOKEN_WRONG',
              'NOT_FOUND',
              'QUARANTINED',
              'RATE_LIMITED',
            ] as const),
          ]),
        },
        'x-example-requests': [
          { summary: 'A bare ZIP', status: 200, ...byOwner('site'), body: zipRequest },
          { summary: 'A folder', status: 200, ...byOwner('site'), body: folderRequest },
          {
            ...{ summary: 'With other tags and a longer life', status: 200, ...byOwner('site') },
            ...{ query: { tags: 'docs', ttl: '30d' }, body: zipRequest },
          },
        ],
      }),
    });

/** Replaces the files of a site by those that a request brings. */
export async function answerReplaceSite(
  deps: SiteDependencies,
  context: RequestContext,
  address: ItemAddress,
): Promise<Response> {
  const { owned, record } = await admitChange(deps, context, 'site', address);
  const { replacement, result } = await readSiteReplacement(deps, context, record);
  const item = await call(deps.bus, sites.replaceSite, { ...owned, ...replacement }, context.callContext);
  const fields = { ...updatedSite(item, context.baseUrl), ...hostingFields(deps, context, item) };
  return Response.json({ ...fields, result: orQuarantined(result, item) });
}
