import { Elysia } from 'elysia';
import * as sites from '../../../../shared/contracts/site.ts';
import { limited } from '../../admission/limited.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { created, json } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { FORM_FIELDS } from '../../openapi/form-fields.ts';
import { CREATE, OWNER_OPTIONAL, parameters } from '../../openapi/parameters.ts';
import { CREATE_CODES, failures } from '../../openapi/responses.ts';
import { createdSample } from '../../openapi/samples.ts';
import { openCreate } from '../../uploads/create-request.ts';
import { answerCreate } from '../../uploads/created-response.ts';
import { CREATED, orQuarantined } from '../../uploads/upload-result.ts';
import type { SiteDependencies } from './dependencies.ts';
import { readSiteCreate } from './input.ts';
import { filesOf } from './serializer.ts';
import { SITE_BODY_TYPES } from './spool-upload.ts';
import {
  ARCHIVE_RULES,
  folderRequest,
  formRequest,
  SITE_SAMPLE,
  uploadBody,
  zipRequest,
} from './upload-form.ts';

/** Publishes a site (specification 8.1). */
export const createSite = (deps: SiteDependencies) =>
  new Elysia().use(limited(deps)).post('/api/sites', ({ context }) => answerCreateSite(deps, context), {
    limit: 'uploads',
    parse: 'none',
    detail: documented({
      operationId: 'publishSite',
      summary: 'Publish a site',
      description: `A ZIP or the files one by one. ${ARCHIVE_RULES}`,
      tags: ['Sites'],
      security: OWNER_OPTIONAL,
      parameters: parameters(...CREATE, 'Entry'),
      requestBody: { required: true, content: uploadBody(FORM_FIELDS) },
      responses: {
        '201': created(
          json('SiteCreated', { site: { ...createdSample('sites', 120), ...SITE_SAMPLE, result: CREATED } }),
        ),
        ...failures([...CREATE_CODES, 'TOO_LARGE', 'CONTENT_REJECTED', 'LINK_BLOCKED']),
      },
      'x-example-requests': [
        { summary: 'A ZIP in a form', status: 201, body: formRequest },
        { summary: 'A folder', status: 201, body: folderRequest },
        {
          ...{
            summary: 'A bare ZIP',
            status: 201,
            query: { ns: 'team-notes', entry: 'index.html', ttl: '7d' },
          },
          headers: { 'X-Password': 'correct horse' },
          body: zipRequest,
        },
        {
          ...{ summary: 'The address alone as the answer', status: 201, headers: { Accept: 'text/plain' } },
          body: zipRequest,
        },
      ],
    }),
  });

/** Publishes the files that a request brings. */
export async function answerCreateSite(deps: SiteDependencies, context: RequestContext): Promise<Response> {
  const create = await readSiteCreate(
    deps,
    context,
    await openCreate(deps, context, {
      supportedTypes: SITE_BODY_TYPES,
      parameters: ['entry', 'entryFile'],
    }),
  );
  return await answerCreate(deps, context, 'site', sites.createSite, create, (site) => ({
    ...{ ...filesOf(site), result: orQuarantined(create.result, site) },
  }));
}
