import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import { renewItem } from '../../../../shared/contracts/owners.ts';
import { errors } from '../../../../shared/errors.ts';
import { limited } from '../../admission/limited.ts';
import { readOptionalJsonObject } from '../../admission/read-body.ts';
import { pick } from '../../http/parameters.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { collectIssues } from '../../http/validation-issues.ts';
import { admitChangeOfAny } from '../../items/authorize.ts';
import type { ItemAddress } from '../../items/find-live-item.ts';
import { instant } from '../../items/serializer.ts';
import { json, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import type { Operation } from '../../openapi/operation.ts';
import { ITEM, OWNER, OWNER_ONLY, parameters } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';
import { SAMPLE } from '../../openapi/samples.ts';
import { parseTtlDays, TTL_NAMES } from '../../uploads/create-parameters.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';

/** Most bytes of the body: far more than a time to live needs. */
const BODY_BYTES = 4_096;

const OWN_TOKEN = { 'X-Owner-Token': '{ownerToken}' };

const OPERATION: Operation = {
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
      ...([
        'VALIDATION_FAILED',
        'TTL_INVALID',
        'JSON_INVALID',
        'CLIENT_BLOCKED',
        'OWNER_TOKEN_REQUIRED',
      ] as const),
      ...([
        'OWNER_TOKEN_WRONG',
        'NOT_FOUND',
        'QUARANTINED',
        'UNSUPPORTED_MEDIA_TYPE',
        'RATE_LIMITED',
      ] as const),
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

/** A longer or shorter life for an item of any kind, counted from now (specification 15.4). */
export function renewRoutes(deps: UploadDependencies) {
  return new Elysia()
    .use(limited(deps))
    .post('/api/:ns/:id/renew', ({ context, params }) => answerRenew(deps, context, params), {
      parse: 'none',
      detail: documented(OPERATION),
    });
}

/** Counts the time to live of an item anew, for as long as a request asks. */
export async function answerRenew(
  deps: UploadDependencies,
  context: RequestContext,
  address: ItemAddress,
): Promise<Response> {
  const { owned } = await admitChangeOfAny(deps, context, address);
  const tooLarge = () =>
    errors.validationFailed([{ field: 'body', message: `has at most ${BODY_BYTES} bytes.` }]);
  const fields = await readOptionalJsonObject(context, { bytes: BODY_BYTES, tooLarge }, deps.budget);
  const issues = collectIssues();
  const wanted = pick(context.query(), fields, TTL_NAMES);
  const asked = wanted === null ? null : parseTtlDays(wanted, issues, true);
  issues.throwIfAny();
  const input = { ...owned, ttlDays: asked };
  const { ttlDays, expiresAt } = await call(deps.bus, renewItem, input, context.callContext);
  return Response.json({ expiresAt: instant(expiresAt), ttlDays });
}
