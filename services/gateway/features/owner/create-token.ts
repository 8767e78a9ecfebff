import { Elysia } from 'elysia';
import { newOwnerToken, newPlainOwnerToken } from '../../../../shared/ids.ts';
import { limited } from '../../admission/limited.ts';
import { hashOwnerToken } from '../../auth/owner-token.ts';
import { json, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { headers, RATE_LIMIT } from '../../openapi/headers.ts';
import type { Operation } from '../../openapi/operation.ts';
import { parameters } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';

const TOKEN = 'own_Jx0pZ6Wc2Vn7bQ1sT4uY8kLmN3rE5aG9hDfKiOjPqRt';

const CREATE_TOKEN: Operation = {
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
    ...failures(['CLIENT_BLOCKED', 'RATE_LIMITED']),
  },
  'x-example-requests': [{ summary: 'A token', status: 201 }],
};

const PLAIN_TOKEN = 'q7Rk2ZpV9sWc4Xn8Lb3TfYh6Md1JgQa5';

const GET_TOKEN: Operation = {
  operationId: 'getOwnerToken',
  summary: 'A new owner token, by GET',
  description:
    'As `POST /api/owner`, for clients that ask this way: 32 letters and digits, and the id of their owner. 60 a minute, in a window of its own. Nothing is stored until something is created.',
  tags: ['Owner'],
  security: [],
  parameters: parameters(),
  responses: {
    '200': ok(
      'The token.',
      json('PlainOwnerToken', { token: { token: PLAIN_TOKEN, ownerId: hashOwnerToken(PLAIN_TOKEN) } }),
      [['Cache-Control']],
    ),
    ...failures(['CLIENT_BLOCKED', 'RATE_LIMITED'], { local: true }),
  },
  'x-example-requests': [{ summary: 'A token', status: 200 }],
};

/** A new owner token for each GET, which is stored nowhere (specification 15.6). */
export const getTokenRoutes = (deps: UploadDependencies) =>
  new Elysia().use(limited(deps)).get(
    '/api/owner-token',
    () => {
      const token = newPlainOwnerToken();
      const headers = { 'Cache-Control': 'no-store' };
      return Response.json({ token, ownerId: hashOwnerToken(token) }, { headers });
    },
    { limit: 'tokens', detail: documented(GET_TOKEN) },
  );

/** A new owner token, which is stored nowhere (specification 15.1). */
export function createTokenRoutes(deps: UploadDependencies) {
  return new Elysia()
    .use(limited(deps))
    .post(
      '/api/owner',
      () =>
        Response.json(
          { ownerToken: newOwnerToken() },
          { status: 201, headers: { 'Cache-Control': 'no-store' } },
        ),
      { limit: 'uploads', parse: 'none', detail: documented(CREATE_TOKEN) },
    );
}
