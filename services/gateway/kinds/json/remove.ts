import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import * as documents from '../../../../shared/contracts/json.ts';
import { limited } from '../../admission/limited.ts';
import { admitChange } from '../../items/authorize.ts';
import type { ReadDependencies } from '../../items/dependencies.ts';
import { REMOVED } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { ITEM, OWNER, OWNER_ONLY, parameters } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';
import { conditionalRequests, readCondition } from './input.ts';

export const removeJson = (deps: ReadDependencies) =>
  new Elysia().use(limited(deps)).delete(
    '/api/json/:ns/:id',
    async ({ context, request, params }) => {
      const { owned } = await admitChange(deps, context, 'json', params);
      const input = { ...owned, ifMatch: readCondition(request) };
      await call(deps.bus, documents.removeJson, input, context.callContext);
      return new Response(null, { status: 204 });
    },
    {
      parse: 'none',
      detail: documented({
        operationId: 'removeDocument',
        summary: 'Delete a document',
        description:
          'Frees the short URL. In `public` it answers 410 from then on, elsewhere 404. With `If-Match` only the version that you have read is deleted.',
        tags: ['JSON'],
        security: OWNER_ONLY,
        parameters: parameters(...ITEM, ...OWNER, 'IfMatch', 'IfNoDocument'),
        responses: {
          '204': REMOVED,
          ...failures([
            ...([
              'VALIDATION_FAILED',
              'CLIENT_BLOCKED',
              'OWNER_TOKEN_REQUIRED',
              'OWNER_TOKEN_WRONG',
              'NOT_FOUND',
              'QUARANTINED',
            ] as const),
            ...(['PRECONDITION_FAILED', 'RATE_LIMITED'] as const),
          ]),
        },
        'x-example-requests': conditionalRequests(204),
      }),
    },
  );
