import { created, json, listed, notModified, ok, REMOVED, served } from '../../openapi/answers.ts';
import type { ExampleRequest, Operation } from '../../openapi/operation.ts';
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
import { createdSample, listedSample, updatedSample } from '../../openapi/samples.ts';

const DOCUMENT = { name: 'Perch', launched: true, cities: ['Berlin', 'Lisbon'] };

const byOwner: Pick<ExampleRequest, 'needs' | 'headers'> = {
  needs: 'document',
  headers: { 'X-Owner-Token': '{ownerToken}' },
};

export const list: Operation = {
  operationId: 'listJson',
  summary: 'List your documents',
  description:
    'The JSON documents that the owner token owns in a namespace, each with the beginning of its text.',
  tags: ['JSON'],
  security: OWNER_OPTIONAL,
  parameters: parameters(...LIST),
  responses: {
    '200': listed(
      json('DocumentList', {
        documents: [{ ...listedSample, content: JSON.stringify(DOCUMENT), size: 62 }],
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

export const create: Operation = {
  operationId: 'createJson',
  summary: 'Publish a document',
  description:
    'The body is the document, kept byte for byte: any valid JSON text in UTF-8 of up to 1 MB and 512 levels. An object with a `document` field is a document like any other. A namespace holds up to 10,000 (in `public`: of one owner).',
  tags: ['JSON'],
  security: OWNER_OPTIONAL,
  parameters: parameters(...CREATE),
  requestBody: {
    required: true,
    content: json('AnyJson', { object: DOCUMENT, array: [1, 2, 3], text: 'Hello' }),
  },
  responses: {
    '201': created(json('DocumentCreated', { document: createdSample('json', 62) })),
    ...failures([...CREATE_CODES, 'JSON_INVALID', 'TOO_LARGE', 'LIMIT_REACHED']),
  },
  'x-example-requests': [
    { summary: 'An object', status: 201, body: { type: 'application/json', example: 'object' } },
    { summary: 'An array', status: 201, body: { type: 'application/json', example: 'array' } },
    { summary: 'A text', status: 201, body: { type: 'application/json', example: 'text' } },
    {
      ...{ summary: 'With parameters', status: 201, query: { ns: 'team-notes', tags: 'docs', ttl: '30d' } },
      headers: { 'X-Password': 'correct horse' },
      body: { type: 'application/json', example: 'object' },
    },
    {
      ...{ summary: 'The address alone as the answer', status: 201, headers: { Accept: 'text/plain' } },
      body: { type: 'application/json', example: 'object' },
    },
  ],
};

export const read: Operation = {
  operationId: 'readDocument',
  summary: 'Read a document',
  description: 'Byte for byte as it was sent. Does not count a view.',
  tags: ['JSON'],
  security: MAY_NEED_PASSWORD,
  parameters: parameters(...ITEM, ...READER, 'Download', 'IfNoneMatch'),
  responses: {
    '200': served('The document.', json('AnyJson', { object: DOCUMENT }), ['ETag']),
    ...notModified(),
    ...failures(['PASSWORD_REQUIRED', 'PASSWORD_WRONG', 'NOT_FOUND', 'RATE_LIMITED']),
  },
  'x-example-requests': [
    { summary: 'A document', status: 200, needs: 'document' },
    { summary: 'Unchanged', status: 304, needs: 'document', headers: { 'If-None-Match': '{etag}' } },
  ],
};

export const update: Operation = {
  operationId: 'updateJson',
  summary: 'Replace a document',
  description:
    'The address and the tags stay, the time to live is not renewed. With `If-Match` only the version that you have read is replaced.',
  tags: ['JSON'],
  security: OWNER_ONLY,
  parameters: parameters(...ITEM, ...OWNER, 'IfMatch', 'IfNoDocument'),
  requestBody: { required: true, content: json('AnyJson', { object: { ...DOCUMENT, launched: false } }) },
  responses: {
    '200': ok('It is replaced.', json('DocumentUpdated', { updated: updatedSample('json', 62) }), [
      [],
      ['ETag'],
    ]),
    ...failures([
      ...(['VALIDATION_FAILED', 'JSON_INVALID', 'TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const),
      ...(['OWNER_TOKEN_REQUIRED', 'OWNER_TOKEN_WRONG', 'NOT_FOUND'] as const),
      ...(['PRECONDITION_FAILED', 'RATE_LIMITED'] as const),
    ]),
  },
  'x-example-requests': [
    { summary: 'A document', status: 200, ...byOwner, body: { type: 'application/json', example: 'object' } },
    {
      ...{ summary: 'Only the version that was read', status: 200, ...byOwner },
      headers: { 'X-Owner-Token': '{ownerToken}', 'If-Match': '{etag}' },
      body: { type: 'application/json', example: 'object' },
    },
    {
      ...{ summary: 'Another version than there is', status: 412, ...byOwner },
      headers: { 'X-Owner-Token': '{ownerToken}', 'If-Match': '"another"' },
      body: { type: 'application/json', example: 'object' },
    },
    {
      ...{ summary: 'Not if it is there', status: 412, ...byOwner },
      headers: { 'X-Owner-Token': '{ownerToken}', 'If-None-Match': '*' },
      body: { type: 'application/json', example: 'object' },
    },
  ],
};

export const remove: Operation = {
  operationId: 'removeJson',
  summary: 'Delete a document',
  description:
    'Frees the short URL. In `public` it answers 410 from then on, elsewhere 404. With `If-Match` only the version that you have read is deleted.',
  tags: ['JSON'],
  security: OWNER_ONLY,
  parameters: parameters(...ITEM, ...OWNER, 'IfMatch', 'IfNoDocument'),
  responses: {
    '204': REMOVED,
    ...failures([
      ...(['VALIDATION_FAILED', 'OWNER_TOKEN_REQUIRED', 'OWNER_TOKEN_WRONG', 'NOT_FOUND'] as const),
      ...(['PRECONDITION_FAILED', 'RATE_LIMITED'] as const),
    ]),
  },
  'x-example-requests': [
    { summary: 'A document', status: 204, ...byOwner },
    {
      ...{ summary: 'Only the version that was read', status: 204, ...byOwner },
      headers: { 'X-Owner-Token': '{ownerToken}', 'If-Match': '{etag}' },
    },
    {
      ...{ summary: 'Another version than there is', status: 412, ...byOwner },
      headers: { 'X-Owner-Token': '{ownerToken}', 'If-Match': '"another"' },
    },
    {
      ...{ summary: 'Not if it is there', status: 412, ...byOwner },
      headers: { 'X-Owner-Token': '{ownerToken}', 'If-None-Match': '*' },
    },
  ],
};
