import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import { putEntry, removeEntry } from '../../../../shared/contracts/kv.ts';
import { errors } from '../../../../shared/errors.ts';
import { limited } from '../../admission/limited.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { admitChange } from '../../items/authorize.ts';
import { json, ok, REMOVED } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { byOwner } from '../../openapi/item-operations.ts';
import { ITEM, OWNER, OWNER_ONLY, parameters } from '../../openapi/parameters.ts';
import { failures, JSON_BODY_CODES, OWNER_CODES } from '../../openapi/responses.ts';
import { changedSample } from './change-key.ts';
import type { StoreDependencies } from './dependencies.ts';
import { isKey, issueOfKey, type KeyAddress, readConditions } from './key.ts';
import { etagOfEntry, writtenEntry } from './serializer.ts';
import { readKvBody, requireValue } from './value.ts';

/**
 * Writes a key (specification 5.4), and removes one, not its store (specification 5.5). A PUT to a `plainKeyAddress` bypasses
 * its route: `app.ts` calls `answerPutKey`.
 */
export const writeKeyRoutes = (deps: StoreDependencies) =>
  new Elysia()
    .use(limited(deps))
    .put('/api/kv/:ns/:id/:key', ({ context, params }) => answerPutKey(deps, context, params), {
      parse: 'none',
      detail: documented({
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
          '200': ok('It is written.', json('EntryWritten', { replaced: changedSample('greeting', 11) }), [
            [],
            ['ETag'],
          ]),
          ...failures([
            ...JSON_BODY_CODES,
            'TOO_LARGE',
            ...OWNER_CODES,
            'KV_KEY_LIMIT',
            'PRECONDITION_FAILED',
          ]),
        },
        'x-example-requests': [
          {
            summary: 'A new value',
            status: 200,
            ...byOwner('kv'),
            body: { type: 'application/json', example: 'text' },
          },
          {
            summary: 'A new key',
            status: 200,
            needs: 'kv',
            path: { key: 'answer' },
            headers: { 'X-Owner-Token': '{ownerToken}', 'If-None-Match': '*' },
            body: { type: 'application/json', example: 'number' },
          },
          {
            summary: 'Only the version that was read',
            status: 200,
            needs: 'kv',
            headers: { 'X-Owner-Token': '{ownerToken}', 'If-Match': '{etag}' },
            body: { type: 'application/json', example: 'text' },
          },
          {
            summary: 'Not if it is there',
            status: 412,
            needs: 'kv',
            headers: { 'X-Owner-Token': '{ownerToken}', 'If-None-Match': '*' },
            body: { type: 'application/json', example: 'text' },
          },
        ],
      }),
    })
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
          ...failures(['VALIDATION_FAILED', ...OWNER_CODES, 'PRECONDITION_FAILED']),
        },
        'x-example-requests': [
          { summary: 'A key', status: 204, ...byOwner('kv') },
          {
            summary: 'Not if it is there',
            status: 412,
            needs: 'kv',
            headers: { 'X-Owner-Token': '{ownerToken}', 'If-None-Match': '*' },
          },
        ],
      }),
    });

/** Answers a write of a key, whether Elysia or `plainKeyAddress` found the address. */
export async function answerPutKey(
  deps: StoreDependencies,
  context: RequestContext,
  { key, ...address }: KeyAddress,
): Promise<Response> {
  const { owned } = await admitChange(deps, context, 'kv', address);
  const issue = issueOfKey(key);
  if (issue !== null) throw errors.validationFailed([{ field: 'key', message: issue }]);
  const value = requireValue(await readKvBody(context, deps.budget));
  const failure = context.fastPathWrite?.failure ?? null;
  if (failure !== null) throw failure;
  const input = { ...owned, key, ...value, ...readConditions(context.request) };
  const written = await call(deps.bus, putEntry, input, context.callContext);
  context.hasSetKey = true;
  return Response.json(writtenEntry(owned, written, context.baseUrl), {
    headers: { ETag: etagOfEntry(written.entry) },
  });
}

/** Removes a key for the owner of its store. */
export async function answerRemoveKey(
  deps: StoreDependencies,
  context: RequestContext,
  { key, ...address }: KeyAddress,
): Promise<Response> {
  const { record, owned } = await admitChange(deps, context, 'kv', address);
  if (!isKey(key)) throw errors.keyNotFound(owned.namespace, owned.id, key);
  const { ifMatch, ifAbsent } = readConditions(context.request);
  if (ifAbsent) {
    await deps.storeEntries.read(record, key, null, context.callContext);
    throw errors.keyTaken();
  }
  await call(deps.bus, removeEntry, { ...owned, key, ifMatch }, context.callContext);
  return new Response(null, { status: 204 });
}
