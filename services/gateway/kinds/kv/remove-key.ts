import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import { removeEntry } from '../../../../shared/contracts/kv.ts';
import { errors } from '../../../../shared/errors.ts';
import { limited } from '../../admission/limited.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { admitChange } from '../../items/authorize.ts';
import type { ReadDependencies } from '../../items/dependencies.ts';
import { REMOVED } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { byOwner } from '../../openapi/item-operations.ts';
import { ITEM, OWNER, OWNER_ONLY, parameters } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';
import { createStoreEntries } from './entries.ts';
import { isKey, type KeyAddress, readConditions } from './key.ts';

/** Removes a key, not its store (specification 5.5). */
export const removeKey = (deps: ReadDependencies) =>
  new Elysia()
    .use(limited(deps))
    .delete('/api/kv/:ns/:id/:key', ({ context, params }) => answerRemoveKey(deps, context, params), {
      parse: 'none',
      detail: documented({
        operationId: 'removeKey',
        summary: 'Delete a key',
        description: 'Deleting the last key does not remove the store.',
        tags: ['KV'],
        security: OWNER_ONLY,
        parameters: parameters(...ITEM, 'Key', ...OWNER, 'IfMatch', 'IfAbsent'),
        responses: {
          '204': REMOVED,
          ...failures([
            ...([
              'VALIDATION_FAILED',
              'CLIENT_BLOCKED',
              'OWNER_TOKEN_REQUIRED',
              'OWNER_TOKEN_WRONG',
            ] as const),
            ...(['NOT_FOUND', 'PRECONDITION_FAILED', 'RATE_LIMITED'] as const),
          ]),
        },
        'x-example-requests': [
          { summary: 'A key', status: 204, ...byOwner('store') },
          {
            ...{ summary: 'Not if it is there', status: 412, needs: 'store' },
            headers: { 'X-Owner-Token': '{ownerToken}', 'If-None-Match': '*' },
          },
        ],
      }),
    });

/** Removes a key for the owner of its store. */
export async function answerRemoveKey(
  deps: ReadDependencies,
  context: RequestContext,
  { key, ...address }: KeyAddress,
): Promise<Response> {
  const { record, owned } = await admitChange(deps, context, 'kv', address);
  if (!isKey(key)) throw errors.keyNotFound(owned.namespace, owned.id, key);
  const { ifMatch, ifAbsent } = readConditions(context.request);
  if (ifAbsent) {
    await createStoreEntries(deps.bus).read(record, key, null, context.callContext);
    throw errors.keyTaken();
  }
  await call(deps.bus, removeEntry, { ...owned, key, ifMatch }, context.callContext);
  return new Response(null, { status: 204 });
}
