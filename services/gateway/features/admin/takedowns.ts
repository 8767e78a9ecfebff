import { type TSchema, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import * as takedowns from '../../../../shared/contracts/takedowns.ts';
import { isSet, parseText } from '../../http/parameters.ts';
import { collectIssues, type ValidationIssues } from '../../http/validation-issues.ts';
import { itemNamed } from '../../items/find-live-item.ts';
import { json, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { headers } from '../../openapi/headers.ts';
import { ITEM } from '../../openapi/parameters.ts';
import { JSON_BODY_CODES } from '../../openapi/responses.ts';
import { answer, count } from '../../openapi/schema-parts.ts';
import { type AdminDependencies, admitted, NO_STORE } from './admitted.ts';
import { parseNetwork } from './block-input.ts';
import {
  isEmpty,
  parseHash,
  parseReason,
  readTakedownBody,
  reasonSchema,
  SAMPLE_HASH,
  sha256Schema,
} from './blocked-content.ts';
import { operatorOperation } from './operation.ts';
import { createOperatorActions, type Takedown } from './operator-actions.ts';

/** Items of one takedown when the operator names no number. */
const USUAL_TAKEDOWN_ITEMS = 200;

/** Schemas of takedowns of several items. */
export const TAKEDOWN_SCHEMAS: Record<string, TSchema> = {
  Takedown: Type.Object(
    {
      ownerId: Type.Optional(
        Type.String({ pattern: '^[0-9A-Fa-f]{64}$', description: 'All items of this owner.' }),
      ),
      network: Type.Optional(
        Type.String({
          pattern: '^[0-9A-Fa-f.:]+(?:/\\d{1,3})?$',
          description:
            'All items whose create came from this address or network, a /8 of IPv4 or /16 of IPv6 at the widest.',
          examples: ['203.0.113.0/24', '2001:db8::/48'],
        }),
      ),
      sha256: Type.Optional(sha256Schema),
      blockContent: Type.Optional(
        Type.Boolean({
          description: `Whether the content of these items cannot be stored again for ${takedowns.CONTENT_BLOCK_DAYS} days, either; that of \`sha256\` never can. Of a site it is the file that it begins with.`,
        }),
      ),
      reason: reasonSchema,
      limit: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: takedowns.TAKEDOWN_ITEMS,
          default: USUAL_TAKEDOWN_ITEMS,
          description: 'Items to remove at most; 0 only counts them.',
        }),
      ),
    },
    {
      description: 'Items to take down, by one of `ownerId`, `network` and `sha256`.',
      oneOf: [{ required: ['ownerId'] }, { required: ['network'] }, { required: ['sha256'] }],
    },
  ),
  TakedownProgress: answer('How far a takedown has come.', {
    removed: count('Items that it has removed.'),
    left: count('Items that are left: send it again.'),
    leftIsLowerBound: Type.Boolean({ description: 'Whether there are more than it has counted.' }),
    blocked: count('How much content is blocked now that was not before.'),
  }),
};

const TAKE_DOWN_ITEM = operatorOperation({
  operationId: 'takeDownItem',
  summary: 'Take an item down',
  description:
    'Removes an item of any kind, whoever owns it, as if its owner had. The log names the address that asked for it.',
  parameters: [...ITEM, 'BlockContent'],
  responses: {
    '204': { description: 'It is gone.', headers: headers(['Cache-Control']) },
  },
  errors: ['NOT_FOUND'],
  'x-example-requests': [
    { summary: 'A page', status: 204, needs: 'html' },
    { summary: 'A site', status: 204, needs: 'site' },
    { summary: 'Without the password', status: 401, needs: 'html' },
  ],
});

const TAKE_DOWN_ITEMS = operatorOperation({
  operationId: 'takeDownItems',
  summary: 'Take down many items',
  description:
    'Removes items of an owner, a network or some content, of every kind, up to a limit, and says how many are left: send it again until none is. Several at once share the work. With `limit` 0 it only counts.',
  requestBody: {
    required: true,
    content: json('Takedown', {
      count: { network: '203.0.113.0/24', reason: 'Looking.', limit: 0 },
      network: { network: '203.0.113.0/24', reason: 'Phishing.', blockContent: true },
      content: { sha256: SAMPLE_HASH, reason: 'Phishing.' },
    }),
  },
  responses: {
    '200': ok(
      'How far it has come.',
      json('TakedownProgress', { some: { removed: 200, left: 31, leftIsLowerBound: false, blocked: 3 } }),
      [['Cache-Control']],
    ),
  },
  errors: JSON_BODY_CODES,
  'x-example-requests': (['count', 'network', 'content'] as const).map((example) => ({
    summary: `With the body "${example}"`,
    status: 200,
    body: { type: 'application/json', example },
  })),
});

/** Takedowns of one item and of several (specification 18.2, 18.10). */
export function takedownRoutes(deps: AdminDependencies) {
  const actions = createOperatorActions(deps);
  return new Elysia()
    .use(admitted(deps))
    .delete(
      '/api/admin/items/:ns/:id',
      async ({ context, operator, params }) => {
        const blockContent = isSet(context.query(), 'blockContent');
        await actions.takeDown({ context, operator }, itemNamed(params), blockContent);
        return new Response(null, { status: 204, headers: NO_STORE });
      },
      { parse: 'none', detail: documented(TAKE_DOWN_ITEM, 'operator') },
    )
    .post(
      '/api/admin/takedowns',
      async ({ context, operator }) => {
        const takedown = parseTakedown(await readTakedownBody(context, deps.budget));
        return Response.json(await actions.takeDownMany({ context, operator }, takedown), {
          headers: NO_STORE,
        });
      },
      { parse: 'none', detail: documented(TAKE_DOWN_ITEMS, 'operator') },
    );
}

/** A takedown of several items, checked (specification 18.10). @throws VALIDATION_FAILED that names every issue */
export function parseTakedown(fields: Record<string, unknown>): Takedown {
  const issues = collectIssues();
  const target = parseTarget(fields, issues);
  const limit = parseLimit(fields.limit, issues);
  const blockContent = fields.blockContent ?? false;
  if (typeof blockContent !== 'boolean') issues.add('blockContent', 'must be true or false.');
  const reason = parseReason(fields.reason, limit > 0, issues);
  issues.throwIfAny();
  return { target, limit, blockContent: blockContent === true, reason };
}

function parseTarget(fields: Record<string, unknown>, issues: ValidationIssues): takedowns.TakedownTarget {
  const given = (['ownerId', 'network', 'sha256'] as const).filter((name) => fields[name] !== undefined);
  if (given.length !== 1) issues.add('body', 'names the items by one of ownerId, network and sha256.');
  for (const name of given) if (isEmpty(fields[name])) issues.add(name, 'must not be empty.');
  const ownerId = parseText(fields.ownerId, 'ownerId', 64, issues)?.toLowerCase() ?? null;
  if (ownerId !== null && !/^[0-9a-f]{64}$/.test(ownerId))
    issues.add('ownerId', 'must be the SHA-256 of an owner token, in hex.');
  const network = parseNetwork(fields.network, issues, 'network');
  const hash = parseHash(fields.sha256, issues);
  if (ownerId !== null) return { by: 'owner', value: ownerId };
  if (network !== null) return { by: 'network', value: network };
  return { by: 'content', value: hash ?? '' };
}

function parseLimit(value: unknown, issues: ValidationIssues): number {
  if (value === undefined || value === null) return USUAL_TAKEDOWN_ITEMS;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= takedowns.TAKEDOWN_ITEMS)
    return value;
  issues.add('limit', `must be a whole number from 0 to ${takedowns.TAKEDOWN_ITEMS}.`);
  return 0;
}
