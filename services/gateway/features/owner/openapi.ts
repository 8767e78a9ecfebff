import { json, ok } from '../../openapi/answers.ts';
import { headers, RATE_LIMIT } from '../../openapi/headers.ts';
import type { Operation } from '../../openapi/operation.ts';
import {
  ITEM,
  MAY_NEED_PASSWORD,
  OWNER,
  OWNER_ONLY,
  OWNER_OPTIONAL,
  parameters,
  READER,
} from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';
import { listedSample, SAMPLE } from '../../openapi/samples.ts';

const TOKEN = 'own_Jx0pZ6Wc2Vn7bQ1sT4uY8kLmN3rE5aG9hDfKiOjPqRt';
const OWN_TOKEN = { 'X-Owner-Token': '{ownerToken}' };

export const mint: Operation = {
  operationId: 'createOwnerToken',
  summary: 'Make an owner token',
  description:
    'A token to send with creates (`X-Owner-Token`), so that all they make has one owner. A create without one makes its own: this is for who wants the token first. Nothing is stored until something is created.',
  tags: ['Owner'],
  security: [],
  parameters: parameters(),
  responses: {
    '201': {
      description: 'The token. It counts as a create in the limits.',
      headers: headers(['Cache-Control'], RATE_LIMIT),
      content: json('OwnerToken', { token: { ownerToken: TOKEN } }),
    },
    ...failures(['RATE_LIMITED']),
  },
  'x-example-requests': [{ summary: 'A token', status: 201 }],
};

const OWNED = { type: 'html', ...listedSample, sizeBytes: 20_480 };

export const items: Operation = {
  operationId: 'listOwnedItems',
  summary: 'All that a token owns',
  description: 'Items of all kinds in all namespaces, newest first. Empty without a token.',
  tags: ['Owner'],
  security: OWNER_OPTIONAL,
  parameters: parameters('Kind', 'Page', 'OwnedSize', ...OWNER),
  responses: {
    '200': ok(
      'A page of the list.',
      json('OwnedItemPage', { page: { items: [OWNED], total: 1, page: 1, size: 100, pages: 1 } }),
      [['Cache-Control']],
    ),
    ...failures(['VALIDATION_FAILED', 'RATE_LIMITED']),
  },
  'x-example-requests': [
    { summary: 'Everything', status: 200, needs: 'page', headers: OWN_TOKEN },
    {
      ...{ summary: 'The first ten stores', status: 200, needs: 'store', headers: OWN_TOKEN },
      query: { kind: 'kv', page: '1', size: '10' },
    },
    { summary: 'Nothing without a token', status: 200 },
  ],
};

export const check: Operation = {
  operationId: 'checkOwner',
  summary: 'Whether a token owns an item',
  description:
    'Also says of which kind the item is. It is a read: an item with a password asks for it, or for the owner token. Counts no view. In namespaces called `html`, `json`, `files` or `sites` this address is that of an item `owner-check` of that kind.',
  tags: ['Owner'],
  security: MAY_NEED_PASSWORD,
  parameters: parameters(...ITEM, ...READER),
  responses: {
    '200': ok('Whose it is.', json('OwnerCheck', { own: { type: 'html', owner: true } }), [
      ['Cache-Control'],
    ]),
    ...failures(['PASSWORD_REQUIRED', 'PASSWORD_WRONG', 'NOT_FOUND', 'RATE_LIMITED']),
  },
  'x-example-requests': [
    { summary: 'Your own', status: 200, needs: 'site', headers: OWN_TOKEN },
    { summary: "Somebody else's", status: 200, needs: 'file' },
    { summary: 'With a password', status: 403, needs: 'locked page' },
  ],
};

export const renew: Operation = {
  operationId: 'renewItem',
  summary: 'Renew an item',
  description:
    'Counts the time to live of an item of any kind anew, from now: longer or shorter than what was left. All else stays as it is. What has expired cannot be renewed. Of two at once the last one wins.',
  tags: ['Owner'],
  security: OWNER_ONLY,
  parameters: parameters(...ITEM, 'RenewalTtl', ...OWNER),
  requestBody: {
    required: false,
    description: 'The same as the query, which wins.',
    content: json('Renewal', { month: { ttl: '30d' } }),
  },
  responses: {
    '200': ok(
      'When it will be deleted now.',
      json('Renewed', { renewed: { expiresAt: SAMPLE.expiresAt, ttlDays: 15 } }),
    ),
    ...failures([
      ...(['VALIDATION_FAILED', 'TTL_INVALID', 'JSON_INVALID', 'OWNER_TOKEN_REQUIRED'] as const),
      ...(['OWNER_TOKEN_WRONG', 'NOT_FOUND', 'UNSUPPORTED_MEDIA_TYPE', 'RATE_LIMITED'] as const),
    ]),
  },
  'x-example-requests': [
    { summary: 'As long as before', status: 200, needs: 'page', headers: OWN_TOKEN },
    { summary: 'A week', status: 200, needs: 'store', headers: OWN_TOKEN, query: { ttl: '7d' } },
    {
      ...{ summary: 'In the body', status: 200, needs: 'document', headers: OWN_TOKEN },
      body: { type: 'application/json', example: 'month' },
    },
    { summary: 'Without a token', status: 403, needs: 'page' },
  ],
};
