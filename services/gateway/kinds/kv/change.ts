import { call } from '../../../../shared/contracts/call.ts';
import { changeEntry, type ValueChange } from '../../../../shared/contracts/kv.ts';
import { errors } from '../../../../shared/errors.ts';
import { ownerTokenOf } from '../../auth/owner-token.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { admitChange } from '../../items/authorize.ts';
import { ok } from '../../openapi/answers.ts';
import type { MediaType } from '../../openapi/operation.ts';
import { ITEM, OWNER, parameters } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';
import { SAMPLE } from '../../openapi/samples.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { idempotencyKeyOf, makeIdempotencyRecord } from '../../uploads/idempotency-key.ts';
import { issueOfKey, type KeyAddress, readConditions } from './key.ts';
import { etagOfEntry, writtenEntry } from './serializer.ts';

/**
 * Answers a change of a value by what it is (specification 5.7). With an Idempotency-Key it is made once, however often it
 * is sent.
 * @param read reads the change from the body, once the owner is known
 */
export async function answerChange(
  deps: UploadDependencies,
  context: RequestContext,
  { key, ...address }: KeyAddress,
  read: () => Promise<ValueChange>,
): Promise<Response> {
  const idempotencyKey = idempotencyKeyOf(context);
  const { owned } = await admitChange(deps, context, 'kv', address);
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
export const CHANGE_PARAMETERS = parameters(
  ...ITEM,
  'Key',
  ...OWNER,
  'ChangeIdempotencyKey',
  'IfMatch',
  'IfAbsent',
);

export const changeResponses = (description: string, content: Record<string, MediaType>) => ({
  '200': ok(description, content, [[], ['ETag']]),
  ...failures([
    ...(['VALIDATION_FAILED', 'JSON_INVALID', 'TOO_LARGE'] as const),
    ...(['CLIENT_BLOCKED', 'OWNER_TOKEN_REQUIRED', 'OWNER_TOKEN_WRONG', 'NOT_FOUND'] as const),
    ...(['VALUE_MISMATCH', 'KV_KEY_LIMIT', 'PRECONDITION_FAILED', 'RATE_LIMITED'] as const),
  ]),
});

/** The answer to a change of a key by name, for examples. */
export const changedSample = (key: string, sizeBytes: number) => ({
  ...{ ...SAMPLE.name, key, sizeBytes, created: false, version: 4 },
  link: `${SAMPLE.url}/${key}`,
  ownerLink: `${SAMPLE.host}/api/kv/public/Ab3dE6gH9k/${key}`,
  ...{ updatedAt: SAMPLE.updatedAt, expiresAt: SAMPLE.expiresAt },
});
