import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import { changeEntry, type ValueChange } from '../../../../shared/contracts/kv.ts';
import { errors } from '../../../../shared/errors.ts';
import { limited } from '../../admission/limited.ts';
import type { MemoryBudget } from '../../admission/memory-budget.ts';
import { readBody } from '../../admission/read-body.ts';
import { ownerTokenOf } from '../../auth/owner-token.ts';
import { assertJsonDepth, decodeJson, inexactNumber, parseJsonObject } from '../../http/json.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { admitChange } from '../../items/authorize.ts';
import { json, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { byOwner } from '../../openapi/item-operations.ts';
import type { MediaType } from '../../openapi/operation.ts';
import { ITEM, OWNER, OWNER_ONLY, parameters } from '../../openapi/parameters.ts';
import { failures, OWNER_CODES } from '../../openapi/responses.ts';
import { SAMPLE } from '../../openapi/samples.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { idempotencyKeyOf, makeIdempotencyRecord } from '../../uploads/idempotency-key.ts';
import { issueOfKey, type KeyAddress, readConditions } from './key.ts';
import { etagOfEntry, writtenEntry } from './serializer.ts';
import { readKvBody, requireValue } from './value.ts';

/**
 * Answers a change of a value by what it is (specification 5.7). With an Idempotency-Key it is made once, however often it
 * is sent.
 * @param read reads the change from the body, once the owner is known
 */
async function answerChange(
  deps: UploadDependencies,
  context: RequestContext,
  { key, ...address }: KeyAddress,
  read: () => Promise<ValueChange>,
): Promise<Response> {
  const { owned } = await admitChange(deps, context, 'kv', address);
  const idempotencyKey = idempotencyKeyOf(context);
  const issue = issueOfKey(key);
  if (issue !== null) throw errors.validationFailed([{ field: 'key', message: issue }]);
  const change = await read();
  const idempotency =
    idempotencyKey === null
      ? null
      : makeIdempotencyRecord(context, idempotencyKey, ownerTokenOf(context), [key, change]);
  const input = { ...owned, key, change, idempotency, ...readConditions(context.request) };
  const changed = await call(deps.bus, changeEntry, input, context.callContext);
  const written = writtenEntry(owned, changed, context.baseUrl);
  const answer = changed.value === null ? written : { ...written, value: changed.value };
  return Response.json(answer, { headers: { ETag: etagOfEntry(changed.entry) } });
}

/** Parameters of such operations, for their documentation. */
const CHANGE_PARAMETERS = parameters(...ITEM, 'Key', ...OWNER, 'ChangeIdempotencyKey', 'IfMatch', 'IfAbsent');

const changeResponses = (description: string, content: Record<string, MediaType>) => ({
  '200': ok(description, content, [[], ['ETag']]),
  ...failures([
    'VALIDATION_FAILED',
    'JSON_INVALID',
    'TOO_LARGE',
    ...OWNER_CODES,
    'VALUE_MISMATCH',
    'KV_KEY_LIMIT',
    'PRECONDITION_FAILED',
  ]),
});

/** The answer to a change of a key by name, for examples. */
export const changedSample = (key: string, sizeBytes: number) => ({
  ...SAMPLE.name,
  key,
  sizeBytes,
  created: false,
  version: 4,
  link: `${SAMPLE.url}/${key}`,
  ownerLink: `${SAMPLE.host}/api/kv/public/Ab3dE6gH9k/${key}`,
  updatedAt: SAMPLE.updatedAt,
  expiresAt: SAMPLE.expiresAt,
});

/** Adds to the number of a key, and to the end of its text or list (specification 5.7). */
export const changeKeyRoutes = (deps: UploadDependencies) =>
  new Elysia()
    .use(limited(deps))
    .post(
      '/api/kv/:ns/:id/:key/increment',
      ({ context, params }) => answerChange(deps, context, params, () => readIncrement(context, deps.budget)),
      {
        parse: 'none',
        detail: documented({
          operationId: 'incrementKey',
          summary: 'Add to a number',
          description:
            'Adds `by` to the whole number of a key, atomically: of many at once none is lost, and each gets the number that it made. A key that is not there begins at 0. Send an `Idempotency-Key` to repeat it safely.',
          tags: ['KV'],
          security: OWNER_ONLY,
          parameters: CHANGE_PARAMETERS,
          requestBody: {
            required: false,
            content: json('EntryIncrement', { one: {}, five: { by: 5 }, down: { by: -1 } }),
          },
          responses: changeResponses(
            'It is added.',
            json('EntryIncremented', { changed: { ...changedSample('visits', 2), value: 42 } }),
          ),
          'x-example-requests': [
            {
              summary: 'A counter',
              status: 200,
              ...byOwner('kv'),
              path: { key: 'visits' },
              body: { type: 'application/json', example: 'five' },
            },
            {
              summary: 'Not a number',
              status: 409,
              ...byOwner('kv'),
              body: { type: 'application/json', example: 'one' },
            },
          ],
        }),
      },
    )
    .post(
      '/api/kv/:ns/:id/:key/append',
      ({ context, params }) => answerChange(deps, context, params, () => readAppend(context, deps.budget)),
      {
        parse: 'none',
        detail: documented({
          operationId: 'appendToKey',
          summary: 'Append to a text or a list',
          description:
            'To a text a text is appended; to a list any value becomes its last element. A key that is not there becomes a list with the value. Atomic: of many at once none is lost. Send an `Idempotency-Key` to repeat it safely.',
          tags: ['KV'],
          security: OWNER_ONLY,
          parameters: CHANGE_PARAMETERS,
          requestBody: {
            required: true,
            content: json('EntryWrite', { text: { value: ', again' }, object: { value: { step: 'built' } } }),
          },
          responses: changeResponses(
            'It is appended.',
            json('EntryWritten', { changed: changedSample('greeting', 12) }),
          ),
          'x-example-requests': [
            {
              summary: 'To a text',
              status: 200,
              ...byOwner('kv'),
              body: { type: 'application/json', example: 'text' },
            },
            {
              summary: 'A new list',
              status: 200,
              ...byOwner('kv'),
              path: { key: 'steps' },
              body: { type: 'application/json', example: 'object' },
            },
          ],
        }),
      },
    );

const BODY_BYTES = 65_536;

/** An empty body is an increment by 1. @throws JSON_INVALID, TOO_LARGE, VALIDATION_FAILED */
async function readIncrement(context: RequestContext, budget: MemoryBudget): Promise<ValueChange> {
  const limit = { bytes: BODY_BYTES, tooLarge: () => errors.tooLarge('The body', BODY_BYTES) };
  const bytes = await readBody(context, limit, budget);
  const text = bytes.length === 0 ? '{}' : decodeJson(bytes);
  const { by = 1 } = parseJsonObject(text);
  // A fraction that a double does not hold would be rounded to a whole number.
  if (typeof by === 'number' && Number.isSafeInteger(by) && inexactNumber(text) === null)
    return { kind: 'increment', by: by + 0 };
  throw errors.validationFailed([
    {
      field: 'by',
      message: `must be a whole number from -${Number.MAX_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}.`,
    },
  ]);
}

/** @throws JSON_INVALID, also for a value that is nested as deep as a whole document may be; TOO_LARGE, VALIDATION_FAILED */
async function readAppend(context: RequestContext, budget: MemoryBudget): Promise<ValueChange> {
  const { value, sizeBytes } = requireValue(await readKvBody(context, budget));
  // As an element it lies one level deeper.
  if (value.startsWith('[') || value.startsWith('{')) assertJsonDepth(`[${value}`);
  return { kind: 'append', value, sizeBytes };
}
