import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import * as sites from '../../../../shared/contracts/site.ts';
import { LIMITS } from '../../../../shared/items/item.ts';
import { limited } from '../../admission/limited.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { admitChange } from '../../items/authorize.ts';
import type { ItemAddress } from '../../items/find-live-item.ts';
import { hostingFields } from '../../items/hosting.ts';
import { updatedItem } from '../../items/serializer.ts';
import { bytes, created, json, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { FORM_FIELDS, REPLACEMENT_FIELDS, UPLOADED_FILE } from '../../openapi/forms.ts';
import { byOwner } from '../../openapi/item-operations.ts';
import type { ExampleBody, MediaType } from '../../openapi/operation.ts';
import { CREATE, ITEM, OWNER, OWNER_ONLY, OWNER_OPTIONAL, parameters } from '../../openapi/parameters.ts';
import { CREATE_CODES, failures, OWNER_CODES } from '../../openapi/responses.ts';
import { createdSample, SITE_FILES, SITE_ZIP_BASE64, updatedSample } from '../../openapi/samples.ts';
import { openCreate } from '../../uploads/create-request.ts';
import { answerCreate } from '../../uploads/created-response.ts';
import { CREATED, orQuarantined, UPDATED } from '../../uploads/upload-result.ts';
import type { SiteDependencies } from './dependencies.ts';
import { readSiteCreate, readSiteReplacement } from './input.ts';
import { replaceFiles } from './replace-files.ts';
import { SITE_BODY_TYPES } from './spool-upload.ts';

/** Publishes a site (specification 8.1). */
export const createSiteRoute = (deps: SiteDependencies) =>
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
          summary: 'A bare ZIP',
          status: 201,
          headers: { 'X-Password': 'correct horse' },
          query: { ns: 'team-notes', entry: 'index.html', ttl: '7d' },
          body: zipRequest,
        },
        {
          summary: 'The address alone as the answer',
          status: 201,
          headers: { Accept: 'text/plain' },
          body: zipRequest,
        },
      ],
    }),
  });

/** Publishes the files that a request brings. */
export async function answerCreateSite(deps: SiteDependencies, context: RequestContext): Promise<Response> {
  const rules = { supportedTypes: SITE_BODY_TYPES, parameters: ['entry', 'entryFile'] };
  const create = await readSiteCreate(deps, context, await openCreate(deps, context, rules));
  return await answerCreate(deps, context, 'site', sites.createSite, create, (site) => ({
    ...filesOf(site),
    result: orQuarantined(create.result, site),
  }));
}

/** Replaces all files of a site in one step (specification 8.4). */
export const replaceSiteRoute = (deps: SiteDependencies) =>
  new Elysia()
    .use(limited(deps))
    .put('/api/sites/:ns/:id', ({ context, params }) => answerReplaceSite(deps, context, params), {
      parse: 'none',
      detail: documented({
        operationId: 'replaceSite',
        summary: 'Replace a site',
        description: `All files at once, in one step: nobody ever sees half of it. The address stays. \`tags\` replace those there are, \`ttl\` counts the time to live anew from now, \`title\` names the site; left out, tags and time to live stay, and the title follows the entry file unless you have given one. An entry file that you named for the files before stays, if it is among the new ones and \`entry\` names no other. ${ARCHIVE_RULES}`,
        tags: ['Sites'],
        security: OWNER_ONLY,
        parameters: parameters(...ITEM, ...OWNER, 'Tags', 'ReplacementTtl', 'Title', 'Entry'),
        requestBody: { required: true, content: uploadBody(REPLACEMENT_FIELDS) },
        responses: {
          '200': ok(
            'It has the new files.',
            json('SiteUpdated', {
              updated: {
                ...updatedSample('sites', 120),
                tags: ['docs', 'launch'],
                ttlDays: 15,
                ...SITE_SAMPLE,
                result: UPDATED,
              },
            }),
          ),
          ...failures([
            'VALIDATION_FAILED',
            'TTL_INVALID',
            'TOO_LARGE',
            'UNSUPPORTED_MEDIA_TYPE',
            'CONTENT_REJECTED',
            'LINK_BLOCKED',
            ...OWNER_CODES,
            'CONTENT_BLOCKED',
            'QUARANTINED',
          ]),
        },
        'x-example-requests': [
          { summary: 'A bare ZIP', status: 200, ...byOwner('site'), body: zipRequest },
          { summary: 'A folder', status: 200, ...byOwner('site'), body: folderRequest },
          {
            summary: 'With other tags and a longer life',
            status: 200,
            ...byOwner('site'),
            query: { tags: 'docs', ttl: '30d' },
            body: zipRequest,
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
  const { changes, stored, result } = await readSiteReplacement(deps, context, record);
  const site = await replaceFiles(deps, context, record, stored, { ...owned, ...changes });
  return Response.json({
    ...updatedItem('site', site, context.baseUrl),
    tags: site.tags,
    ttlDays: site.ttlDays,
    ...filesOf(site),
    ...hostingFields(deps, context, site),
    result: orQuarantined(result, site),
  });
}

export const SITE_SAMPLE = { entryFile: 'index.html', fileCount: 2, totalSizeBytes: 120 };

const PARTS = {
  archive: Type.Optional(UPLOADED_FILE),
  file: Type.Optional(UPLOADED_FILE),
  files: Type.Optional(Type.Array(UPLOADED_FILE, { maxItems: LIMITS.siteFiles, examples: [[]] })),
  paths: Type.Optional(
    Type.Array(Type.String({ maxLength: LIMITS.sitePathCharacters }), {
      description: "The path of each of `files`, in their order. When omitted, the parts' filenames are.",
      examples: [[]],
    }),
  ),
};

/** The request body of a create or a replacement. */
const uploadBody = (fields: object): Record<string, MediaType> => ({
  'multipart/form-data': {
    schema: Type.Object(
      { ...PARTS, ...fields },
      {
        description: 'A ZIP as `archive` or `file`, or the `files`.',
        oneOf: ['archive', 'file', 'files'].map((name) => ({ required: [name] })),
      },
    ),
    examples: {
      archive: { summary: 'A ZIP', value: { archive: SITE_ZIP_BASE64 } },
      files: {
        summary: 'A folder',
        value: { files: SITE_FILES.map(({ value }) => value), paths: SITE_FILES.map(({ path }) => path) },
      },
    },
  },
  ...bytes('application/zip', 'A ZIP, here as base64', SITE_ZIP_BASE64),
});

const zipRequest: ExampleBody = { type: 'application/zip', base64: SITE_ZIP_BASE64 };
const formRequest: ExampleBody = {
  type: 'multipart/form-data',
  parts: [{ name: 'archive', filename: 'site.zip', type: 'application/zip', base64: SITE_ZIP_BASE64 }],
};
const folderRequest: ExampleBody = {
  type: 'multipart/form-data',
  parts: SITE_FILES.flatMap(({ path, type, value }) => [
    { name: 'files', filename: path.split('/').at(-1) ?? path, type, value },
    { name: 'paths', value: path },
  ]),
};

const ARCHIVE_RULES =
  'Up to 1000 files of up to 5 MB each. Paths are relative and normalised; `..`, absolute paths, backslashes, symbolic links and names that differ in case only are refused; `__MACOSX/` and dotfiles are left out. A single top folder is stripped.';

/** Fields of every answer about a site: its files in short. */
export function filesOf({
  content,
  sizeBytes,
}: Pick<Static<typeof sites.SiteItem>, 'content' | 'sizeBytes'>) {
  const { entryFile, fileCount } = content;
  return { entryFile, fileCount, totalSizeBytes: sizeBytes };
}
