import { type TSchema, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import * as blocklist from '../../../../shared/contracts/blocklist.ts';
import { call } from '../../../../shared/contracts/call.ts';
import { bodyUpTo, readJsonObject } from '../../admission/read-body.ts';
import { isSet } from '../../http/parameters.ts';
import type { ValidationIssues } from '../../http/validation-issues.ts';
import { instant as shownInstant } from '../../items/serializer.ts';
import { json, ok } from '../../openapi/answers.ts';
import { optionalText } from '../../openapi/create-fields.ts';
import { documented } from '../../openapi/documented.ts';
import { headers } from '../../openapi/headers.ts';
import { JSON_BODY_CODES } from '../../openapi/responses.ts';
import { SAMPLE } from '../../openapi/samples.ts';
import { answer, instant, list, nullable, request, text } from '../../openapi/schema-parts.ts';
import { CHARACTERS } from '../../openapi/text-patterns.ts';
import { type AdminDependencies, admitted, NO_STORE } from './admitted.ts';
import { blockNamed, PATTERN_CHARACTERS, parseBlock, REASON_CHARACTERS } from './block-input.ts';
import { answerList, parseListQuery } from './list-page.ts';
import { operatorOperation } from './operation.ts';
import { createOperatorActions } from './operator-actions.ts';

/** Room for the longest texts with every character escaped. */
const BLOCK_LIMIT = bodyUpTo(16_384);

const PAGE = { default: 100, max: blocklist.BLOCKS_PER_PAGE, id: null };

/** Schemas of the blocklist, as the operator sees it. */
export const BLOCKLIST_SCHEMAS: Record<string, TSchema> = {
  BlockCreate: request(
    'Clients to block: by `ip`, by `uaPattern`, or by both, of which both must fit then.',
    {
      ip: optionalText({
        pattern: '^(?:[0-9A-Fa-f.:]+(?:/\\d{1,3})?)?$',
        description: 'An address, or a network in CIDR notation, a /8 of IPv4 or /16 of IPv6 at the widest.',
        examples: ['203.0.113.7', '203.0.113.0/24', '2001:db8::/32'],
      }),
      uaPattern: optionalText({
        maxLength: PATTERN_CHARACTERS,
        pattern: CHARACTERS.line,
        examples: ['BadBot/*'],
        description: 'A part of the User-Agent, in any case; `*` stands for any text.',
      }),
      reason: Type.String({
        minLength: 1,
        maxLength: REASON_CHARACTERS,
        pattern: CHARACTERS.visibleLine,
        examples: ['Publishes phishing pages.'],
      }),
      duration: optionalText({
        maxLength: 50,
        examples: ['P7D', 'PT12H'],
        description: 'ISO 8601; left out: for good.',
      }),
    },
  ),
  Block: answer('An entry of the blocklist.', {
    id: Type.String({ minLength: 1 }),
    ip: nullable('string', 'The address or network.'),
    uaPattern: nullable('string', 'The part of the User-Agent.'),
    reason: text('As the operator wrote it.'),
    blockedAt: instant('When it was added.'),
    blockedBy: text('The address of the operator who added it.'),
    expiresAt: Type.Unsafe({ type: ['string', 'null'], format: 'date-time', description: 'null: never.' }),
    active: Type.Boolean({ description: 'Whether it is in force: neither removed nor over.' }),
  }),
  BlockList: list('Block', 'Entries of the blocklist, newest first.'),
};

const SAMPLE_BLOCK = {
  id: 'Q7wErT2yU9',
  ip: '203.0.113.0/24',
  uaPattern: null,
  reason: 'Publishes phishing pages.',
  blockedAt: SAMPLE.createdAt,
  blockedBy: '192.0.2.1',
  expiresAt: null,
  active: true,
};

const LIST_BLOCKS = operatorOperation({
  operationId: 'listBlocks',
  summary: 'The blocklist',
  description:
    'Who may not create or change anything, newest first; only what is in force, unless more is asked for.',
  parameters: ['BlocksActive', 'BlocksInactive', 'BlockType', 'BlocksLimit', 'ListOffset'],
  responses: {
    '200': ok('A part of the list.', json('BlockList', { page: [SAMPLE_BLOCK] }), [
      ['Cache-Control', 'X-Total-Count'],
    ]),
  },
  errors: ['VALIDATION_FAILED'],
  'x-example-requests': [
    { summary: 'What is in force', status: 200, needs: 'block' },
    {
      summary: 'Networks, those of the past, too',
      status: 200,
      query: { type: 'ip', includeInactive: 'true', limit: '10' },
    },
    { summary: 'Without the password', status: 401 },
  ],
});

const ADD_BLOCK = operatorOperation({
  operationId: 'addBlock',
  summary: 'Block clients',
  description:
    'Every gateway knows it within two seconds. Creates and changes of such a client are answered 403 `CLIENT_BLOCKED`; it may go on reading and reporting.',
  requestBody: {
    required: true,
    content: json('BlockCreate', {
      network: { ip: '203.0.113.0/24', reason: 'Publishes phishing pages.' },
      agent: { uaPattern: 'BadBot/*', reason: 'Publishes without end.', duration: 'P7D' },
    }),
  },
  responses: {
    '201': {
      description: 'It is in force.',
      headers: headers(['Cache-Control']),
      content: json('Block', { network: SAMPLE_BLOCK }),
    },
  },
  errors: [...JSON_BODY_CODES, 'LIMIT_REACHED'],
  'x-example-requests': (['network', 'agent'] as const).map((example) => ({
    summary: `With the body "${example}"`,
    status: 201,
    body: { type: 'application/json', example },
  })),
});

const REMOVE_BLOCK = operatorOperation({
  operationId: 'removeBlock',
  summary: 'End a block',
  description: 'The entry stays in the list of those that are not in force.',
  parameters: ['BlockId'],
  responses: {
    '204': { description: 'It has ended.', headers: headers(['Cache-Control']) },
  },
  errors: ['NOT_FOUND'],
  'x-example-requests': [
    { summary: 'An entry', status: 204, needs: 'block' },
    { summary: 'One that is not there', status: 404, path: { id: 'no-such-entry' } },
  ],
});

/** The blocklist, as the operator keeps it (specification 18.6). */
export function blocklistRoutes(deps: AdminDependencies) {
  const { bus, budget, clock } = deps;
  const actions = createOperatorActions(deps);
  return new Elysia({ prefix: '/api/admin/blocklist' })
    .use(admitted(deps))
    .get(
      '',
      async ({ context }) => {
        const { page, filter } = parseListQuery(context.query(), PAGE, parseBlockFilter);
        const input = { ...filter, offset: page.offset, limit: page.limit };
        const { blocks, total } = await call(bus, blocklist.listBlocks, input, context.callContext);
        return answerList(blocks.map(shown), { count: total });
      },
      { detail: documented(LIST_BLOCKS, 'operator') },
    )
    .post(
      '',
      async ({ context, operator }) => {
        const fields = await readJsonObject(context, BLOCK_LIMIT, budget);
        const block = await actions.block({ context, operator }, parseBlock(fields, clock.now()));
        return Response.json(shown(block), { status: 201, headers: NO_STORE });
      },
      { parse: 'none', detail: documented(ADD_BLOCK, 'operator') },
    )
    .delete(
      '/:id',
      async ({ context, operator, params }) => {
        await actions.endBlock({ context, operator }, blockNamed(params.id));
        return new Response(null, { status: 204, headers: NO_STORE });
      },
      { parse: 'none', detail: documented(REMOVE_BLOCK, 'operator') },
    );
}

const parseBlockFilter = (query: URLSearchParams, issues: ValidationIssues) => ({
  active: parseActive(query, issues),
  type: parseType(query, issues),
});

/** Which entries: those in force, the others, or with `null` all. `active` goes before `includeInactive`. */
function parseActive(query: URLSearchParams, issues: ValidationIssues): boolean | null {
  const active = query.get('active')?.trim().toLowerCase() || null;
  if (active === null) return isSet(query, 'includeInactive') ? null : true;
  if (active !== 'true' && active !== 'false') {
    issues.add('active', 'must be true or false.');
  }
  return active === 'true';
}

function parseType(query: URLSearchParams, issues: ValidationIssues): 'ip' | 'ua' | null {
  const type = query.get('type')?.trim() || null;
  if (type === null || type === 'ip' || type === 'ua') return type;
  issues.add('type', 'must be ip or ua.');
  return null;
}

const shown = ({ blockedAt, expiresAt, ...block }: blocklist.Block) => ({
  id: block.id,
  ip: block.ip,
  uaPattern: block.uaPattern,
  reason: block.reason,
  blockedAt: shownInstant(blockedAt),
  blockedBy: block.blockedBy,
  expiresAt: expiresAt === null ? null : shownInstant(expiresAt),
  active: block.active,
});
