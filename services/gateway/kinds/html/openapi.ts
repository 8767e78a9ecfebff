import { Type } from '@sinclair/typebox';
import type { ErrorCode } from '../../../../shared/errors.ts';
import { created, json, listed, notModified, ok, REMOVED, served, text } from '../../openapi/answers.ts';
import type { MediaType, Operation } from '../../openapi/operation.ts';
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
import { createdSample, listedSample, PNG_BASE64, SAMPLE, updatedSample } from '../../openapi/samples.ts';
import { PAGE_TEXT } from '../../openapi/text-patterns.ts';

const MARKDOWN = '# Launch\n\nWe go live on **Monday**.\n';
const HTML = '<!doctype html>\n<title>Launch</title>\n<h1>Launch</h1>\n<p>We go live on Monday.</p>\n';
const PAGE = { format: 'MARKDOWN', title: 'Launch', filename: 'launch.md' };
const RECORD = {
  ...{ ...SAMPLE.name, ...PAGE, showTopBar: null, ttlDays: 15, tags: ['docs', 'launch'], sizeBytes: 38 },
  ...{ createdAt: SAMPLE.createdAt, updatedAt: SAMPLE.updatedAt, expiresAt: SAMPLE.expiresAt },
};

/** A raw body. */
const pageBody = (type: string, value: string, name: string): Record<string, MediaType> => ({
  [type]: { schema: Type.String(PAGE_TEXT), examples: { [name]: { value } } },
});

/** The raw bodies (specification 4.2), each with an example. */
const RAW: Record<string, MediaType> = {
  ...pageBody('text/html', HTML, 'html'),
  ...pageBody('text/markdown', MARKDOWN, 'markdown'),
  ...pageBody('text/plain', 'We go live on Monday.\n', 'plain'),
  ...pageBody('text/yaml', 'launch: Monday\n', 'yaml'),
  ...pageBody('text/xml', '<launch day="Monday"/>\n', 'xml'),
  ...pageBody('text/csv', 'what,when\nlaunch,Monday\n', 'csv'),
  ...pageBody('text/css', 'body { color: teal }\n', 'css'),
  ...pageBody('text/javascript', "console.log('Monday');\n", 'javascript'),
  ...pageBody('text/x-toml', 'launch = "Monday"\n', 'toml'),
  ...pageBody('application/xml', '<launch day="Monday"/>\n', 'xml'),
  ...pageBody('application/yaml', 'launch: Monday\n', 'yaml'),
  ...pageBody('application/x-yaml', 'launch: Monday\n', 'yaml'),
  ...pageBody('application/javascript', "console.log('Monday');\n", 'javascript'),
  ...pageBody('application/toml', 'launch = "Monday"\n', 'toml'),
  ...pageBody('application/octet-stream', 'We go live on Monday.\n', 'text'),
};

const rawRequest = ([type, { examples }]: [string, MediaType]) => ({
  ...{ summary: `A raw ${type} body`, status: 201 },
  body: { type, example: Object.keys(examples)[0] ?? '' },
});

const BODY_CODES: ErrorCode[] = [
  ...(['VALIDATION_FAILED', 'JSON_INVALID', 'UNSUPPORTED_MEDIA_TYPE'] as const),
  ...(['PAGE_TOO_LARGE', 'CONTENT_REJECTED', 'RATE_LIMITED'] as const),
];

export const publish: Operation = {
  operationId: 'publishPage',
  summary: 'Publish a page',
  description:
    'Publishes HTML, markdown or text of up to 5 MB, raw or in a JSON body. Markdown is rendered; text is shown highlighted. A parameter may be sent in the query or in the JSON body; the query wins. An `application/octet-stream` body is text, unless it is an image, a video, a PDF or a ZIP: those become files, and the answer is that of a file. Posting the same bytes again under the same owner token to `public` without a password within 24 hours returns the page there is, with `X-Existing-Resource: 1`.',
  tags: ['Pages'],
  security: OWNER_OPTIONAL,
  parameters: parameters(...CREATE, 'Format', 'Filename', 'ShowTopBar'),
  requestBody: {
    required: true,
    content: {
      ...json('PageCreate', {
        html: { content: HTML, format: 'HTML', title: 'Launch' },
        markdown: { content: MARKDOWN, format: 'MARKDOWN', tags: ['docs', 'launch'], ttl: '30 days' },
      }),
      ...RAW,
    },
  },
  responses: {
    '201': created(
      json('PageOrFileCreated', {
        page: { ...createdSample('html', 38), ...PAGE, showTopBar: null },
        file: { ...createdSample('files', 70), filename: 'Ab3dE6gH9k.png', contentType: 'image/png' },
      }),
      ['X-Existing-Resource'],
    ),
    ...failures([...new Set([...CREATE_CODES, ...BODY_CODES]), 'LIMIT_REACHED', 'TOO_LARGE']),
  },
  'x-example-requests': [
    { summary: 'HTML in JSON', status: 201, body: { type: 'application/json', example: 'html' } },
    { summary: 'Markdown in JSON', status: 201, body: { type: 'application/json', example: 'markdown' } },
    ...Object.entries(RAW).map(rawRequest),
    {
      summary: 'With every parameter',
      status: 201,
      query: {
        ...{ ns: 'team-notes', tags: 'docs,launch', ttl: '7d', title: 'Launch', filename: 'launch.md' },
        ...{ format: 'markdown', showTopBar: 'true' },
      },
      headers: { 'X-Password': 'correct horse' },
      body: { type: 'text/markdown', example: 'markdown' },
    },
    {
      summary: 'The address alone as the answer',
      status: 201,
      headers: { Accept: 'text/plain' },
      body: { type: 'text/markdown', example: 'markdown' },
    },
    {
      summary: 'A picture, which becomes a file',
      status: 201,
      body: { type: 'application/octet-stream', base64: PNG_BASE64 },
    },
  ],
};

export const list: Operation = {
  operationId: 'listHtml',
  summary: 'List your pages',
  description: 'The pages that the owner token owns in a namespace.',
  tags: ['Pages'],
  security: OWNER_OPTIONAL,
  parameters: parameters(...LIST),
  responses: {
    '200': listed(
      json('PageList', {
        pages: [{ ...listedSample, ...PAGE, size: 38 }],
        none: [],
      }),
    ),
    ...failures(['VALIDATION_FAILED', 'NAMESPACE_INVALID', 'NAMESPACE_RESERVED', 'RATE_LIMITED']),
  },
  'x-example-requests': [
    { summary: 'Without a token', status: 200 },
    {
      summary: 'The first page',
      status: 200,
      needs: 'page',
      query: { page: '1', size: '10' },
      headers: { 'X-Owner-Token': '{ownerToken}' },
    },
  ],
};

export const read: Operation = {
  operationId: 'readPage',
  summary: 'Read a page',
  description:
    'The rendered page, as its short URL shows it; a listed one with canonical and OpenGraph tags, but for those it brings itself. With `raw` it is what was stored. Does not count a view.',
  tags: ['Pages'],
  security: MAY_NEED_PASSWORD,
  parameters: parameters(...ITEM, ...READER, 'Raw', 'Download', 'IfNoneMatch'),
  responses: {
    '200': served(
      'The page. With `raw` or `dl` the stored bytes in their own type.',
      {
        ...text('text/html', HTML, 'rendered'),
        ...text('text/*', MARKDOWN, 'raw'),
        ...text('application/*', 'launch: Monday\n', 'raw'),
      },
      ['ETag', 'X-Views', 'X-Show-Top-Bar'],
    ),
    ...notModified(['ETag', 'X-Views', 'X-Show-Top-Bar']),
    ...failures(['PASSWORD_REQUIRED', 'PASSWORD_WRONG', 'NOT_FOUND', 'RATE_LIMITED']),
  },
  'x-example-requests': [
    { summary: 'A page', status: 200, needs: 'page' },
    { summary: 'Its source', status: 200, needs: 'page', query: { raw: '1' } },
    { summary: 'As a download', status: 200, needs: 'page', query: { dl: '1' } },
    {
      summary: 'With a password',
      status: 200,
      needs: 'locked page',
      headers: { 'X-Password': 'correct horse' },
    },
    { summary: 'Unchanged', status: 304, needs: 'page', headers: { 'If-None-Match': '{etag}' } },
  ],
};

export const update: Operation = {
  operationId: 'updateHtml',
  summary: 'Replace the content of a page',
  description:
    'The address stays, the time to live is not renewed. Tags, password, format, filename and showTopBar cannot change: what the body says of them is passed over.',
  tags: ['Pages'],
  security: OWNER_ONLY,
  parameters: parameters(...ITEM, ...OWNER, 'Title'),
  requestBody: {
    required: true,
    content: {
      ...json('PageUpdate', { content: { content: '# Launch\n\nWe are **live**.\n', title: 'Launched' } }),
      ...RAW,
    },
  },
  responses: {
    '200': ok(
      'It has the new content.',
      json('PageUpdated', {
        updated: { ...updatedSample('html', 28), format: 'MARKDOWN', title: 'Launched' },
      }),
    ),
    ...failures(['OWNER_TOKEN_REQUIRED', 'OWNER_TOKEN_WRONG', 'NOT_FOUND', ...BODY_CODES]),
  },
  'x-example-requests': [
    {
      ...{ summary: 'In JSON', status: 200, needs: 'page', headers: { 'X-Owner-Token': '{ownerToken}' } },
      body: { type: 'application/json', example: 'content' },
    },
    {
      ...{ summary: 'Raw', status: 200, needs: 'page', query: { token: '{ownerToken}' } },
      body: { type: 'text/markdown', example: 'markdown' },
    },
  ],
};

export const remove: Operation = {
  operationId: 'removeHtml',
  summary: 'Delete a page',
  description: 'Frees the short URL. In `public` it answers 410 from then on, elsewhere 404.',
  tags: ['Pages'],
  security: OWNER_ONLY,
  parameters: parameters(...ITEM, ...OWNER),
  responses: {
    '204': REMOVED,
    ...failures(['OWNER_TOKEN_REQUIRED', 'OWNER_TOKEN_WRONG', 'NOT_FOUND', 'RATE_LIMITED']),
  },
  'x-example-requests': [
    { summary: 'A page', status: 204, needs: 'page', headers: { 'X-Owner-Token': '{ownerToken}' } },
  ],
};

/** Settings and source differ in what they say, not in how they are asked for. */
const described = (
  fields: Pick<Operation, 'operationId' | 'summary' | 'description'>,
  body: Record<string, MediaType>,
): Operation => ({
  ...fields,
  tags: ['Pages'],
  security: OWNER_ONLY,
  parameters: parameters(...ITEM, ...OWNER),
  responses: {
    '200': ok('For its owner alone.', body, [['Cache-Control']]),
    ...failures(['OWNER_TOKEN_BLANK', 'OWNER_TOKEN_WRONG', 'NOT_FOUND', 'RATE_LIMITED']),
  },
  'x-example-requests': [
    { summary: 'A page', status: 200, needs: 'page', headers: { 'X-Owner-Token': '{ownerToken}' } },
    { summary: 'Without a token', status: 400, needs: 'page' },
  ],
});

export const settings = described(
  {
    operationId: 'readPageSettings',
    summary: 'Read the settings of a page',
    description:
      'All that there is to know of a page, but for its content. A blank token is 400 here, not 403.',
  },
  json('PageSettings', { settings: { ...RECORD, hasPassword: false } }),
);

export const source = described(
  {
    operationId: 'readPageSource',
    summary: 'Read the source of a page',
    description:
      'The body as it was sent, not rendered, and what is known of it. A blank token is 400 here, not 403.',
  },
  json('PageSource', { source: { ...RECORD, content: MARKDOWN } }),
);
