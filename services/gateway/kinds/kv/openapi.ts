import { created, json, listed, notModified, ok, REMOVED } from '../../openapi/answers.ts';
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
import { createdSample, listedSample, SAMPLE } from '../../openapi/samples.ts';

const KEY = { key: 'greeting' };
const KEY_LINK = `${SAMPLE.url}/greeting`;
const KEY_API = `${SAMPLE.host}/api/kv/public/Ab3dE6gH9k/greeting`;
const TIMES = { updatedAt: SAMPLE.updatedAt, expiresAt: SAMPLE.expiresAt };

const byOwner: Pick<ExampleRequest, 'needs' | 'headers'> = {
  needs: 'store',
  headers: { 'X-Owner-Token': '{ownerToken}' },
};

export const list: Operation = {
  operationId: 'listKv',
  summary: 'List your stores',
  description: 'The key-value stores that the owner token owns in a namespace.',
  tags: ['KV'],
  security: OWNER_OPTIONAL,
  parameters: parameters(...LIST),
  responses: {
    '200': listed(
      json('StoreList', {
        stores: [{ ...listedSample, keyCount: 2 }],
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
  operationId: 'createKv',
  summary: 'Create a store with its first key',
  description:
    'A store holds up to 1000 keys. A value is any JSON value of up to 1 MB (a string counts its own bytes). Parameters may be sent in the query or in the body; the query wins.',
  tags: ['KV'],
  security: OWNER_OPTIONAL,
  parameters: parameters(...CREATE),
  requestBody: {
    required: true,
    content: json('StoreCreate', {
      text: { ...KEY, value: 'Hello' },
      object: { key: 'settings', value: { theme: 'dark', columns: 3 }, tags: ['docs'], ttlDays: 30 },
    }),
  },
  responses: {
    '201': created(json('StoreCreated', { store: { ...createdSample('kv', 5), link: KEY_LINK, ...KEY } })),
    ...failures([...CREATE_CODES, 'JSON_INVALID', 'TOO_LARGE']),
  },
  'x-example-requests': [
    { summary: 'A text', status: 201, body: { type: 'application/json', example: 'text' } },
    { summary: 'An object', status: 201, body: { type: 'application/json', example: 'object' } },
    {
      ...{ summary: 'With parameters', status: 201, query: { ns: 'team-notes', tags: 'docs', ttl: '7d' } },
      headers: { 'X-Password': 'correct horse' },
      body: { type: 'application/json', example: 'text' },
    },
    {
      ...{ summary: 'The address alone as the answer', status: 201, headers: { Accept: 'text/plain' } },
      body: { type: 'application/json', example: 'text' },
    },
  ],
};

export const readStore: Operation = {
  operationId: 'readStore',
  summary: 'Read what keys a store has',
  description: 'The keys with their sizes, without their values. Does not count a view.',
  tags: ['KV'],
  security: MAY_NEED_PASSWORD,
  parameters: parameters(...ITEM, ...READER),
  responses: {
    '200': ok(
      'The keys.',
      json('Store', {
        store: {
          ...{ ...SAMPLE.name, keys: ['greeting'], count: 1 },
          entries: [{ ...KEY, sizeBytes: 5, updatedAt: SAMPLE.updatedAt }],
          ...{ createdAt: SAMPLE.createdAt, expiresAt: SAMPLE.expiresAt, views: 12 },
        },
      }),
      [['Cache-Control']],
    ),
    ...failures(['PASSWORD_REQUIRED', 'PASSWORD_WRONG', 'NOT_FOUND', 'RATE_LIMITED']),
  },
  'x-example-requests': [{ summary: 'A store', status: 200, needs: 'store' }],
};

export const removeKv: Operation = {
  operationId: 'removeKv',
  summary: 'Delete a store',
  description: 'With all its keys.',
  tags: ['KV'],
  security: OWNER_ONLY,
  parameters: parameters(...ITEM, ...OWNER),
  responses: {
    '204': REMOVED,
    ...failures(['OWNER_TOKEN_REQUIRED', 'OWNER_TOKEN_WRONG', 'NOT_FOUND', 'RATE_LIMITED']),
  },
  'x-example-requests': [{ summary: 'A store', status: 204, ...byOwner }],
};

export const readKey: Operation = {
  operationId: 'readKey',
  summary: 'Read a key',
  description:
    'The latest value, and when it was written. The address is stable: to poll, send the last ETag in `If-None-Match`. It names the value: `expiresAt` may change under it by a renewal, and `views` by reads. Does not count a view.',
  tags: ['KV'],
  security: MAY_NEED_PASSWORD,
  parameters: parameters(...ITEM, 'Key', ...READER, 'IfNoneMatch'),
  responses: {
    '200': ok(
      'The value.',
      json('Entry', {
        text: { ...SAMPLE.name, ...KEY, value: 'Hello', version: 3, ...TIMES, views: 12 },
        object: { ...SAMPLE.name, ...KEY, value: { theme: 'dark' }, version: 1, ...TIMES, views: 0 },
      }),
      [['Cache-Control', 'ETag']],
    ),
    ...notModified(),
    ...failures(['PASSWORD_REQUIRED', 'PASSWORD_WRONG', 'NOT_FOUND', 'RATE_LIMITED']),
  },
  'x-example-requests': [
    { summary: 'A key', status: 200, needs: 'store' },
    { summary: 'Unchanged', status: 304, needs: 'store', headers: { 'If-None-Match': '{etag}' } },
  ],
};

export const writeKey: Operation = {
  operationId: 'writeKey',
  summary: 'Set a key',
  description:
    'Creates the key or replaces its value; there is no history. `If-Match` and `If-None-Match: *` keep two writers from overwriting each other.',
  tags: ['KV'],
  security: OWNER_ONLY,
  parameters: parameters(...ITEM, 'Key', ...OWNER, 'IfMatch', 'IfAbsent'),
  requestBody: {
    required: true,
    content: json('EntryWrite', { text: { value: 'Hello again' }, number: { value: 42 } }),
  },
  responses: {
    '200': ok(
      'It is written.',
      json('EntryWritten', {
        replaced: {
          ...{ ...SAMPLE.name, ...KEY, sizeBytes: 11, created: false, version: 4 },
          ...{ link: KEY_LINK, ownerLink: KEY_API, ...TIMES },
        },
      }),
      [[], ['ETag']],
    ),
    ...failures([
      ...(['VALIDATION_FAILED', 'JSON_INVALID', 'TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const),
      ...(['OWNER_TOKEN_REQUIRED', 'OWNER_TOKEN_WRONG', 'NOT_FOUND'] as const),
      ...(['KV_KEY_LIMIT', 'PRECONDITION_FAILED', 'RATE_LIMITED'] as const),
    ]),
  },
  'x-example-requests': [
    { summary: 'A new value', status: 200, ...byOwner, body: { type: 'application/json', example: 'text' } },
    {
      ...{ summary: 'A new key', status: 200, ...byOwner, path: { key: 'answer' } },
      headers: { 'X-Owner-Token': '{ownerToken}', 'If-None-Match': '*' },
      body: { type: 'application/json', example: 'number' },
    },
    {
      ...{ summary: 'Only the version that was read', status: 200, ...byOwner },
      headers: { 'X-Owner-Token': '{ownerToken}', 'If-Match': '{etag}' },
      body: { type: 'application/json', example: 'text' },
    },
    {
      ...{ summary: 'Not if it is there', status: 412, ...byOwner },
      headers: { 'X-Owner-Token': '{ownerToken}', 'If-None-Match': '*' },
      body: { type: 'application/json', example: 'text' },
    },
  ],
};

export const removeKey: Operation = {
  operationId: 'removeKey',
  summary: 'Delete a key',
  description: 'Deleting the last key does not remove the store.',
  tags: ['KV'],
  security: OWNER_ONLY,
  parameters: parameters(...ITEM, 'Key', ...OWNER, 'IfMatch', 'IfAbsent'),
  responses: {
    '204': REMOVED,
    ...failures([
      ...(['VALIDATION_FAILED', 'OWNER_TOKEN_REQUIRED', 'OWNER_TOKEN_WRONG', 'NOT_FOUND'] as const),
      ...(['PRECONDITION_FAILED', 'RATE_LIMITED'] as const),
    ]),
  },
  'x-example-requests': [
    { summary: 'A key', status: 204, ...byOwner },
    {
      ...{ summary: 'Not if it is there', status: 412, ...byOwner },
      headers: { 'X-Owner-Token': '{ownerToken}', 'If-None-Match': '*' },
    },
  ],
};
