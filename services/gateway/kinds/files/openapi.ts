import { Type } from '@sinclair/typebox';
import {
  bytes,
  created,
  json,
  listed,
  notModified,
  partial,
  REMOVED,
  served,
} from '../../openapi/answers.ts';
import { FILENAME_FIELD, FORM_FIELDS, UPLOADED_FILE } from '../../openapi/form-fields.ts';
import type { Operation } from '../../openapi/operation.ts';
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
import { createdSample, listedSample, PNG_BASE64 } from '../../openapi/samples.ts';

const FILE = { filename: 'notes.md', contentType: 'text/markdown; charset=utf-8' };
const NOTES = { filename: 'notes.md', type: 'text/markdown', value: '# Launch\n' };

export const list: Operation = {
  operationId: 'listFiles',
  summary: 'List your files',
  description: 'The files that the owner token owns in a namespace.',
  tags: ['Files'],
  security: OWNER_OPTIONAL,
  parameters: parameters(...LIST),
  responses: {
    '200': listed(json('FileList', { files: [{ ...listedSample, ...FILE, size: 9 }], none: [] })),
    ...failures(['VALIDATION_FAILED', 'NAMESPACE_INVALID', 'NAMESPACE_RESERVED', 'RATE_LIMITED']),
  },
  'x-example-requests': [
    { summary: 'Without a token', status: 200 },
    {
      ...{ summary: 'The first page', status: 200, needs: 'file', query: { page: '1', size: '10' } },
      headers: { 'X-Owner-Token': '{ownerToken}' },
    },
  ],
};

export const upload: Operation = {
  operationId: 'uploadFile',
  summary: 'Upload a file',
  description:
    'One part `file`, whose name is kept unless `filename` is given; the create parameters may come as further fields. The extension decides what is taken: text (html htm md json txt css js jsx mjs ts tsx csv xml yaml yml toml log), images (png jpg jpeg gif webp avif svg ico bmp), audio (mp3 wav ogg flac m4a aac opus), video (mp4 webm mov m4v ogv), pdf, zip and fonts (woff woff2 ttf otf). Then the content is looked at: executables and whatever is not in that list are refused. Up to 5 MB, video up to 20 MB; up to 1000 files in a namespace (in `public`: of one owner).',
  tags: ['Files'],
  security: OWNER_OPTIONAL,
  parameters: parameters(...CREATE, 'UploadedFilename'),
  requestBody: {
    required: true,
    content: {
      'multipart/form-data': {
        schema: Type.Object({ file: UPLOADED_FILE, ...FILENAME_FIELD, ...FORM_FIELDS }),
        examples: { text: { value: { file: '# Launch\n', tags: 'docs', ttl: '30 days' } } },
      },
    },
  },
  responses: {
    '201': created(json('FileCreated', { file: { ...createdSample('files', 9), ...FILE } })),
    ...failures([...CREATE_CODES, 'TOO_LARGE', 'LIMIT_REACHED', 'CONTENT_REJECTED']),
  },
  'x-example-requests': [
    {
      ...{ summary: 'A text', status: 201 },
      body: { type: 'multipart/form-data', parts: [{ name: 'file', ...NOTES }] },
    },
    {
      ...{ summary: 'A picture', status: 201, query: { ns: 'team-notes', ttl: '7d' } },
      headers: { 'X-Password': 'correct horse' },
      body: {
        type: 'multipart/form-data',
        parts: [{ name: 'file', filename: 'dot.png', type: 'image/png', base64: PNG_BASE64 }],
      },
    },
    {
      ...{ summary: 'With fields, and the address alone as the answer', status: 201 },
      headers: { Accept: 'text/plain' },
      body: {
        type: 'multipart/form-data',
        parts: [
          { name: 'tags', value: 'docs' },
          { name: 'ttl', value: '30 days' },
          { name: 'file', ...NOTES },
        ],
      },
    },
    {
      ...{ summary: 'Under another name', status: 201, query: { filename: 'launch.md' } },
      body: { type: 'multipart/form-data', parts: [{ name: 'file', ...NOTES }] },
    },
    {
      ...{ summary: 'An extension that is not taken', status: 415 },
      body: {
        type: 'multipart/form-data',
        parts: [{ name: 'file', ...NOTES, filename: 'setup.exe' }],
      },
    },
  ],
};

export const read: Operation = {
  operationId: 'readFile',
  summary: 'Download a file',
  description: 'The bytes, as the short URL serves them to programs. Does not count a view.',
  tags: ['Files'],
  security: MAY_NEED_PASSWORD,
  parameters: parameters(
    ...[...ITEM, ...READER],
    ...(['Download', 'Range', 'IfRange', 'IfMatchOfFile', 'IfNoneMatch'] as const),
  ),
  responses: {
    '200': served('The file.', bytes('*/*', 'A markdown file', '# Launch\n'), ['ETag', 'Accept-Ranges']),
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
    { summary: 'A file', status: 200, needs: 'file' },
    { summary: 'As a download', status: 200, needs: 'file', query: { dl: '1' } },
    { summary: 'Its first bytes', status: 206, needs: 'file', headers: { Range: 'bytes=0-3' } },
    { summary: 'Unchanged', status: 304, needs: 'file', headers: { 'If-None-Match': '{etag}' } },
    {
      ...{ summary: 'Another version than there is', status: 412, needs: 'file' },
      headers: { 'If-Match': '"another"' },
    },
    { summary: 'Behind its end', status: 416, needs: 'file', headers: { Range: 'bytes=90000-' } },
  ],
};

export const remove: Operation = {
  operationId: 'removeFile',
  summary: 'Delete a file',
  description: 'Frees the short URL. In `public` it answers 410 from then on, elsewhere 404.',
  tags: ['Files'],
  security: OWNER_ONLY,
  parameters: parameters(...ITEM, ...OWNER),
  responses: {
    '204': REMOVED,
    ...failures(['OWNER_TOKEN_REQUIRED', 'OWNER_TOKEN_WRONG', 'NOT_FOUND', 'RATE_LIMITED']),
  },
  'x-example-requests': [
    { summary: 'A file', status: 204, needs: 'file', headers: { 'X-Owner-Token': '{ownerToken}' } },
  ],
};
