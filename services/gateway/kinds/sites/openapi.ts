import { Type } from '@sinclair/typebox';
import { LIMITS } from '../../../../shared/items/item.ts';
import {
  bytes,
  created,
  json,
  listed,
  notModified,
  ok,
  partial,
  REMOVED,
  served,
} from '../../openapi/answers.ts';
import { FORM_FIELDS, UPLOADED_FILE } from '../../openapi/form-fields.ts';
import type { ExampleBody, ExampleRequest, MediaType, Operation } from '../../openapi/operation.ts';
import {
  CREATE,
  ITEM,
  LIST,
  MAY_NEED_PASSWORD,
  OWNER,
  OWNER_ONLY,
  OWNER_OPTIONAL,
  parameters,
  READER,
} from '../../openapi/parameters.ts';
import { CREATE_CODES, failures } from '../../openapi/responses.ts';
import {
  createdSample,
  listedSample,
  SAMPLE,
  SITE_FILES,
  SITE_ZIP_BASE64,
  updatedSample,
} from '../../openapi/samples.ts';

const SITE = { entryFile: 'index.html', fileCount: 2, totalSizeBytes: 120 };

const byOwner: Pick<ExampleRequest, 'needs' | 'headers'> = {
  needs: 'site',
  headers: { 'X-Owner-Token': '{ownerToken}' },
};

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

export const list: Operation = {
  operationId: 'listSites',
  summary: 'List your sites',
  description: 'The sites that the owner token owns in a namespace.',
  tags: ['Sites'],
  security: OWNER_OPTIONAL,
  parameters: parameters(...LIST),
  responses: {
    '200': listed(
      json('SiteList', {
        sites: [{ ...listedSample, ...SITE }],
        none: [],
      }),
    ),
    ...failures(['VALIDATION_FAILED', 'NAMESPACE_INVALID', 'NAMESPACE_RESERVED', 'RATE_LIMITED']),
  },
  'x-example-requests': [
    { summary: 'Without a token', status: 200 },
    { summary: 'The first page', status: 200, ...byOwner, query: { page: '1', size: '10' } },
  ],
};

export const publish: Operation = {
  operationId: 'publishSite',
  summary: 'Publish a site',
  description: `A ZIP or the files one by one. ${ARCHIVE_RULES}`,
  tags: ['Sites'],
  security: OWNER_OPTIONAL,
  parameters: parameters(...CREATE, 'Entry'),
  requestBody: { required: true, content: uploadBody(FORM_FIELDS) },
  responses: {
    '201': created(json('SiteCreated', { site: { ...createdSample('sites', 120), ...SITE } })),
    ...failures([...CREATE_CODES, 'TOO_LARGE', 'CONTENT_REJECTED']),
  },
  'x-example-requests': [
    { summary: 'A ZIP in a form', status: 201, body: formRequest },
    { summary: 'A folder', status: 201, body: folderRequest },
    {
      ...{ summary: 'A bare ZIP', status: 201, query: { ns: 'team-notes', entry: 'index.html', ttl: '7d' } },
      headers: { 'X-Password': 'correct horse' },
      body: zipRequest,
    },
    {
      ...{ summary: 'The address alone as the answer', status: 201, headers: { Accept: 'text/plain' } },
      body: zipRequest,
    },
  ],
};

export const describe: Operation = {
  operationId: 'readSite',
  summary: 'Read what files a site has',
  description: 'The record of the site with all its files. Does not count a view.',
  tags: ['Sites'],
  security: MAY_NEED_PASSWORD,
  parameters: parameters(...ITEM, ...READER),
  responses: {
    '200': served(
      'The site.',
      json('Site', {
        site: {
          ...{ ...SAMPLE.name, url: SAMPLE.url, shortUrl: listedSample.shortUrl, title: 'Launch', ...SITE },
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
    ...failures(['PASSWORD_REQUIRED', 'PASSWORD_WRONG', 'NOT_FOUND', 'RATE_LIMITED']),
  },
  'x-example-requests': [{ summary: 'A site', status: 200, needs: 'site' }],
};

export const replace: Operation = {
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
      json('SiteUpdated', { updated: { ...updatedSample('sites', 120), ...SITE } }),
    ),
    ...failures([
      ...(['VALIDATION_FAILED', 'TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'CONTENT_REJECTED'] as const),
      ...(['OWNER_TOKEN_REQUIRED', 'OWNER_TOKEN_WRONG', 'NOT_FOUND', 'RATE_LIMITED'] as const),
    ]),
  },
  'x-example-requests': [
    { summary: 'A bare ZIP', status: 200, ...byOwner, body: zipRequest },
    { summary: 'A folder', status: 200, ...byOwner, body: folderRequest },
  ],
};

export const remove: Operation = {
  operationId: 'removeSite',
  summary: 'Delete a site',
  description: 'With all its files.',
  tags: ['Sites'],
  security: OWNER_ONLY,
  parameters: parameters(...ITEM, ...OWNER),
  responses: {
    '204': REMOVED,
    ...failures(['OWNER_TOKEN_REQUIRED', 'OWNER_TOKEN_WRONG', 'NOT_FOUND', 'RATE_LIMITED']),
  },
  'x-example-requests': [{ summary: 'A site', status: 204, ...byOwner }],
};

export const readFile: Operation = {
  operationId: 'readSiteFile',
  summary: 'Download a file of a site',
  description: 'The bytes. Does not count a view.',
  tags: ['Sites'],
  security: MAY_NEED_PASSWORD,
  parameters: parameters(
    ...[...ITEM, 'FilePath' as const, ...READER],
    ...(['Download', 'Range', 'IfRange', 'IfMatchOfFile', 'IfNoneMatch'] as const),
  ),
  responses: {
    '200': served('The file.', bytes('*/*', 'A stylesheet', 'h1 { color: teal }\n'), [
      ...(['ETag', 'Accept-Ranges'] as const),
    ]),
    ...partial(),
    ...notModified(['ETag'], ['Accept-Ranges']),
    ...failures([
      'PASSWORD_REQUIRED',
      'PASSWORD_WRONG',
      'NOT_FOUND',
      'PRECONDITION_FAILED',
      'RANGE_NOT_SATISFIABLE',
      'RATE_LIMITED',
    ]),
  },
  'x-example-requests': [
    { summary: 'The entry', status: 200, needs: 'site', path: { filePath: 'index.html' } },
    { summary: 'In a folder', status: 200, needs: 'site', path: { filePath: 'assets/site.css' } },
    {
      ...{ summary: 'As a download', status: 200, needs: 'site', query: { dl: '1' } },
      path: { filePath: 'assets/site.css' },
    },
    {
      ...{ summary: 'Its first bytes', status: 206, needs: 'site', path: { filePath: 'index.html' } },
      headers: { Range: 'bytes=0-14' },
    },
  ],
};
