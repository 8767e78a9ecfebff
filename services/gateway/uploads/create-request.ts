import { createHmac } from 'node:crypto';
import { call } from '../../../shared/contracts/call.ts';
import type { CreateInput, IdempotencySalt } from '../../../shared/contracts/create.ts';
import { readMaxTtlDays } from '../../../shared/contracts/owner-admin.ts';
import { errors } from '../../../shared/errors.ts';
import { newOwnerToken } from '../../../shared/ids.ts';
import { LIMITS } from '../../../shared/items/item.ts';
import { groupingTokenOf, hashOwnerToken } from '../auth/owner-token.ts';
import { senderOf } from '../http/client.ts';
import type { RequestContext } from '../http/request-context.ts';
import { collectIssues } from '../http/validation-issues.ts';
import { type CreateParameters, parseCreate } from './create-parameters.ts';
import { type CreateRules, refuseUnknown } from './create-rules.ts';
import type { UploadDependencies } from './dependencies.ts';
import { idempotencyKeyOf, makeIdempotencyRecord, ownerTokenFor } from './idempotency-key.ts';

/** The owner token and idempotency key of a create, from its headers. */
export interface CreateHead {
  /** The owner token for the new item; `null`: a new owner. */
  groupingToken: string | null;
  idempotencyKey: string | null;
}

/**
 * Validates a create's headers and query before its body is read, so that a client learns of issues before a large
 * upload.
 */
export async function openCreate(
  deps: Pick<UploadDependencies, 'bus'>,
  context: RequestContext,
  rules: CreateRules,
): Promise<CreateHead> {
  context.supportedTypes = rules.supportedTypes;
  const head = { groupingToken: groupingTokenOf(context), idempotencyKey: idempotencyKeyOf(context) };
  const issues = collectIssues();
  refuseUnknown(context.query(), rules, issues);
  const { ttlDays } = parseCreate(context, {}, issues);
  issues.throwIfAny();
  await assertLifeAllowed(deps, context, head, ttlDays);
  return head;
}

/** Asks `content` only for a life that is not open to everybody. @throws TTL_INVALID */
async function assertLifeAllowed(
  { bus }: Pick<UploadDependencies, 'bus'>,
  { callContext }: RequestContext,
  { groupingToken }: CreateHead,
  ttlDays: number,
): Promise<void> {
  if (ttlDays <= LIMITS.ttlDaysMax || groupingToken === null) return;
  const owner = { ownerHash: hashOwnerToken(groupingToken) };
  const { maxTtlDays } = await call(bus, readMaxTtlDays, owner, callContext);
  if (ttlDays > maxTtlDays) throw errors.ttlTooLong(maxTtlDays);
}

/** @throws UNAVAILABLE when too many passwords wait to be hashed */
export const hashPasswordOf = async (
  { passwords }: Pick<UploadDependencies, 'passwords'>,
  { clientKey }: Pick<RequestContext, 'clientKey'>,
  { password }: CreateParameters,
): Promise<string | null> => (password === null ? null : await passwords.hash(password, clientKey));

export interface CompleteCreate {
  /** The owner's token, once the service has told which attempt at this create made the item. */
  ownerTokenOf(created: { idempotencySalt?: IdempotencySalt }): string;
  /** Whether the caller brought the token, and no idempotency key: then a page may be an earlier post of the owner. */
  ownerKnown: boolean;
  input: CreateInput;
}

/**
 * The part of a create that all kinds share.
 * @param identity further values of the request that tell apart two requests under one idempotency key
 */
export function completeCreate(
  { config, itemHosts }: UploadDependencies,
  context: RequestContext,
  { groupingToken, idempotencyKey }: CreateHead,
  parameters: CreateParameters & { passwordHash: string | null },
  identity: unknown[],
): CompleteCreate {
  const { namespace, id, tags, ttlDays, title, password, passwordHash, deliveryMode } = parameters;
  const asked = [
    namespace,
    id,
    tags,
    ttlDays,
    title,
    passwordMark(password, config.cookieSecret),
    ...identity,
    // Left out, it does not change the fingerprints of requests that do not say it.
    ...(deliveryMode === null ? [] : [deliveryMode]),
  ];
  const idempotency = makeIdempotencyRecord(context, idempotencyKey, groupingToken, asked);
  const { salt = null } = idempotency;
  const derive = (from: string | null) =>
    idempotencyKey === null ? null : ownerTokenFor(idempotencyKey, idempotency, from, config.cookieSecret);
  const ownerToken = groupingToken ?? derive(salt) ?? newOwnerToken();
  const ownerHash = hashOwnerToken(ownerToken);
  return {
    ownerTokenOf({ idempotencySalt = salt }) {
      if (groupingToken !== null || idempotencySalt === salt) return ownerToken;
      return derive(idempotencySalt) ?? ownerToken;
    },
    // A key finds its own item, and no other (specification 3.4).
    ownerKnown: groupingToken !== null && idempotencyKey === null,
    input: {
      namespace,
      id,
      tags,
      ttlDays,
      title,
      passwordHash,
      ownerHash,
      idempotency,
      sender: senderOf(context),
      hosting: { deliveryMode, labelled: itemHosts.modeOf(context, { deliveryMode }) === 'subdomain' },
    },
  };
}

/**
 * A keyed hash of the password, for the fingerprint of an idempotency key. That is stored: without the secret, it tells
 * nothing.
 */
const passwordMark = (password: string | null, secret: string): string | null =>
  password === null ? null : createHmac('sha256', secret).update(`password ${password}`).digest('base64url');
