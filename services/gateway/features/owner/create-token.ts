import { Elysia } from 'elysia';
import { newOwnerToken } from '../../../../shared/ids.ts';
import { limited } from '../../admission/limited.ts';
import { json } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { headers, RATE_LIMIT } from '../../openapi/headers.ts';
import type { Operation } from '../../openapi/operation.ts';
import { parameters } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';

const TOKEN = 'own_Jx0pZ6Wc2Vn7bQ1sT4uY8kLmN3rE5aG9hDfKiOjPqRt';

const OPERATION: Operation = {
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
      { limit: 'uploads', parse: 'none', detail: documented(OPERATION) },
    );
}
