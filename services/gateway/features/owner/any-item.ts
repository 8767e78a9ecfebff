import { type TSchema, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import { renewItem } from '../../../../shared/contracts/owners.ts';
import { KINDS } from '../../../../shared/items/item.ts';
import { limited } from '../../admission/limited.ts';
import { FEW_FIELDS, readOptionalJsonObject } from '../../admission/read-body.ts';
import { isOwner } from '../../auth/owner-token.ts';
import { pick } from '../../http/parameters.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { collectIssues } from '../../http/validation-issues.ts';
import { admitChangeOfAny, findOfAny } from '../../items/authorize.ts';
import type { ItemAddress } from '../../items/find-live-item.ts';
import { answerRemovalOfAny } from '../../items/removal.ts';
import { instant } from '../../items/serializer.ts';
import { json, ok } from '../../openapi/answers.ts';
import { DAYS_IN_BODY } from '../../openapi/create-fields.ts';
import { documented } from '../../openapi/documented.ts';
import { byOwner, removal } from '../../openapi/item-operations.ts';
import type { Operation } from '../../openapi/operation.ts';
import { ITEM, OWNER, OWNER_ONLY, OWNER_OPTIONAL, parameters } from '../../openapi/parameters.ts';
import { failures, JSON_BODY_CODES, OWNER_CODES } from '../../openapi/responses.ts';
import { SAMPLE } from '../../openapi/samples.ts';
import { answer, ttlDays as days, expiresAt as expiry, request } from '../../openapi/schema-parts.ts';
import { parseTtlDays, TTL_NAMES } from '../../uploads/create-parameters.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';

/** Schemas of what an owner does with an item of any kind. */
export const ANY_ITEM_SCHEMAS: Record<string, TSchema> = {
  OwnerCheck: answer('Whose an item is.', {
    type: Type.Unsafe({ type: 'string', enum: KINDS, description: "The item's kind." }),
    owner: Type.Boolean({ description: 'Whether the token that was sent owns it.' }),
    isOwner: Type.Boolean({ description: 'The same, by the name that other clients know.' }),
  }),
  Renewal: request('How long the item shall live from now on.', DAYS_IN_BODY),
  Renewed: answer('A renewed item.', { ...expiry, ...days }),
};

const CHECK_OWNER: Operation = {
  operationId: 'checkOwner',
  summary: 'Whether a token owns an item',
  description:
    'Also says of which kind the item is. Asks for no password, and counts no view. In namespaces called `html`, `json`, `files` or `sites` this address is that of an item `owner-check` of that kind.',
  tags: ['Owner'],
  security: OWNER_OPTIONAL,
  parameters: parameters(...ITEM, ...OWNER),
  responses: {
    '200': ok('Whose it is.', json('OwnerCheck', { own: { type: 'html', owner: true, isOwner: true } }), [
      ['Cache-Control'],
    ]),
    ...failures(['NOT_FOUND', 'QUARANTINED', 'RATE_LIMITED']),
  },
  'x-example-requests': [
    { summary: 'Your own', status: 200, ...byOwner('site') },
    { summary: "Somebody else's", status: 200, needs: 'file' },
    { summary: 'With a password, which is not asked for', status: 200, needs: 'locked html' },
  ],
};

/**
 * Tells whether the request's token owns an item (specification 15.3). A protected item's kind is no secret: the form for
 * its password is shown to whoever asks for it.
 */
export function ownerCheckRoutes(deps: UploadDependencies) {
  return new Elysia().use(limited(deps)).get(
    '/api/:ns/:id/owner-check',
    async ({ context, params }) => {
      const record = await findOfAny(deps, context, params);
      const owner = isOwner(context, record.ownerHash);
      return Response.json(
        { type: record.kind, owner, isOwner: owner },
        { headers: { 'Cache-Control': 'private, no-store' } },
      );
    },
    { detail: documented(CHECK_OWNER) },
  );
}

const RENEW_ITEM: Operation = {
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
    ...failures([...JSON_BODY_CODES, 'TTL_INVALID', ...OWNER_CODES, 'QUARANTINED']),
  },
  'x-example-requests': [
    { summary: 'As long as before', status: 200, ...byOwner('html') },
    { summary: 'A week', status: 200, ...byOwner('kv'), query: { ttl: '7d' } },
    {
      summary: 'In the body',
      status: 200,
      ...byOwner('json'),
      body: { type: 'application/json', example: 'month' },
    },
    { summary: 'Without a token', status: 403, needs: 'html' },
  ],
};

/** A longer or shorter life for an item of any kind, counted from now (specification 15.4). */
export function renewRoutes(deps: UploadDependencies) {
  return new Elysia()
    .use(limited(deps))
    .post('/api/:ns/:id/renew', ({ context, params }) => answerRenew(deps, context, params), {
      parse: 'none',
      detail: documented(RENEW_ITEM),
    });
}

/** Counts the time to live of an item anew, for as long as a request asks. */
export async function answerRenew(
  deps: UploadDependencies,
  context: RequestContext,
  address: ItemAddress,
): Promise<Response> {
  const { owned } = await admitChangeOfAny(deps, context, address);
  const fields = await readOptionalJsonObject(context, FEW_FIELDS, deps.budget);
  const issues = collectIssues();
  const wanted = pick(context.query(), fields, TTL_NAMES);
  const asked = wanted === null ? null : parseTtlDays(wanted, issues, true);
  issues.throwIfAny();
  const input = { ...owned, ttlDays: asked };
  const { ttlDays, expiresAt } = await call(deps.bus, renewItem, input, context.callContext);
  return Response.json({ expiresAt: instant(expiresAt), ttlDays });
}

const REMOVE_ITEM = removal({
  operationId: 'removeItem',
  summary: 'Delete an item of any kind',
  description:
    'Frees the short URL, as the removal at the address of its kind does. In `public` it answers 410 from then on, elsewhere 404. With `If-Match` a page, document or file is only deleted while it has that ETag; stores and sites have none. `If-None-Match` is looked at for documents only.',
  tag: 'Owner',
  needs: 'json',
  conditions: ['IfMatch', 'IfNoDocument'],
});

/** Removes an item for its owner, whatever it is (specification 15.7). */
export const removeItemRoutes = (deps: UploadDependencies) =>
  new Elysia()
    .use(limited(deps))
    .delete('/api/:ns/:id', ({ context, params }) => answerRemovalOfAny(deps, context, params), {
      parse: 'none',
      detail: documented(REMOVE_ITEM),
    });
