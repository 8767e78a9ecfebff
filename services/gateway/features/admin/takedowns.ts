import { type TSchema, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import * as takedowns from '../../../../shared/contracts/takedowns.ts';
import { errors } from '../../../../shared/errors.ts';
import { readJsonObject } from '../../admission/read-body.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { instant as shownInstant } from '../../items/serializer.ts';
import { json, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { headers } from '../../openapi/headers.ts';
import type { Operation } from '../../openapi/operation.ts';
import { ADMIN, ADMIN_ONLY, parameters } from '../../openapi/parameters.ts';
import { ADMIN_CODES, failures } from '../../openapi/responses.ts';
import { SAMPLE } from '../../openapi/samples.ts';
import { answer, count, instant, list, request, text } from '../../openapi/schema-parts.ts';
import { ADMIN_HEADERS, type AdminDependencies, admitted } from './admitted.ts';
import { REASON_CHARACTERS } from './block-input.ts';
import { answerList, parseListQuery } from './list-page.ts';
import { createOperatorActions } from './operator-actions.ts';
import { CONTENT_HASH, parseContentBlock, parseTakedown, USUAL_TAKEDOWN_ITEMS } from './takedown-input.ts';

/** Room for the longest texts with every character escaped. */
const BODY_BYTES = 16_384;

const PAGE = { default: 100, max: takedowns.BLOCKED_PER_PAGE, id: null };
const noStore = { 'Cache-Control': 'no-store' };

const HASH = '5d1f0c7b2a9e4386b0c1d2e3f4a5968778695a4b3c2d1e0f0f1e2d3c4b5a6978';

const sha256 = Type.String({
  pattern: '^(?:[0-9A-Fa-f]{32}|[0-9A-Fa-f]{64})$',
  description: 'A SHA-256 in hex, or its first 32 digits, as the ETag of the content has them.',
});
const reason = Type.String({
  ...{ minLength: 1, maxLength: REASON_CHARACTERS, description: 'For the audit trail.' },
  pattern: '^[^\\p{Cc}\\p{Cs}]*[^\\s\\p{Cc}\\p{Cs}][^\\p{Cc}\\p{Cs}]*$',
  examples: ['Phishing.'],
});

/** Schemas of takedowns of several items, and of blocked content. */
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
      sha256: Type.Optional(sha256),
      blockContent: Type.Optional(
        Type.Boolean({
          description: `Whether the content of these items cannot be stored again for ${takedowns.CONTENT_BLOCK_DAYS} days, either; that of \`sha256\` never can. Of a site it is the file that it begins with.`,
        }),
      ),
      reason,
      limit: Type.Optional(
        Type.Integer({
          ...{ minimum: 0, maximum: takedowns.TAKEDOWN_ITEMS, default: USUAL_TAKEDOWN_ITEMS },
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
  ContentBlock: request('Content to block. Items that have it stay.', { sha256, reason }),
  BlockedContent: answer('Content that cannot be stored.', {
    hash: text('Its SHA-256 in hex, or the first 32 digits.'),
    reason: text('As the operator wrote it.'),
    blockedAt: instant('When it was blocked.'),
    blockedBy: text('The address of the operator.'),
    expiresAt: instant('When it may be stored again.'),
  }),
  BlockedContentList: list('BlockedContent', 'Blocked content, what was blocked last first.'),
};

const BLOCKED = {
  ...{ hash: HASH, reason: 'Phishing.', blockedAt: SAMPLE.createdAt, blockedBy: '192.0.2.1' },
  expiresAt: SAMPLE.expiresAt,
};
const BODY_CODES = ['VALIDATION_FAILED', 'JSON_INVALID', 'UNSUPPORTED_MEDIA_TYPE'] as const;

const TAKE_DOWN: Operation = {
  operationId: 'takeDownItems',
  summary: 'Take down many items',
  description:
    'Removes items of an owner, a network or some content, of every kind, up to a limit, and says how many are left: send it again until none is. Several at once share the work. With `limit` 0 it only counts.',
  tags: ['Admin'],
  security: ADMIN_ONLY,
  parameters: parameters(...ADMIN),
  requestBody: {
    required: true,
    content: json('Takedown', {
      count: { network: '203.0.113.0/24', reason: 'Looking.', limit: 0 },
      network: { network: '203.0.113.0/24', reason: 'Phishing.', blockContent: true },
      content: { sha256: HASH, reason: 'Phishing.' },
    }),
  },
  responses: {
    '200': ok(
      'How far it has come.',
      json('TakedownProgress', { some: { removed: 200, left: 31, leftIsLowerBound: false, blocked: 3 } }),
      [['Cache-Control']],
    ),
    ...failures([...ADMIN_CODES, ...BODY_CODES]),
  },
  'x-example-requests': (['count', 'network', 'content'] as const).map((example) => ({
    ...{ summary: `With the body "${example}"`, status: 200, headers: ADMIN_HEADERS },
    body: { type: 'application/json', example },
  })),
};

const LIST_BLOCKED: Operation = {
  operationId: 'listBlockedContent',
  summary: 'Blocked content',
  description: 'What cannot be stored now, what was blocked last first.',
  tags: ['Admin'],
  security: ADMIN_ONLY,
  parameters: parameters('BlocksLimit', 'ListOffset', ...ADMIN),
  responses: {
    '200': ok('A part of the list.', json('BlockedContentList', { page: [BLOCKED] }), [
      ['Cache-Control', 'X-Total-Count'],
    ]),
    ...failures(['VALIDATION_FAILED', ...ADMIN_CODES]),
  },
  'x-example-requests': [
    { summary: 'All', status: 200, headers: ADMIN_HEADERS, query: { limit: '10', offset: '0' } },
    { summary: 'Without the password', status: 401 },
  ],
};

const BLOCK: Operation = {
  operationId: 'blockContent',
  summary: 'Block content',
  description: `For ${takedowns.CONTENT_BLOCK_DAYS} days, from the answer on and on every gateway, creates and updates whose bytes have this hash are answered 403 \`CONTENT_BLOCKED\`: pages, documents, files, and sites with such a file. Values of stores are not looked at. Items that have it stay.`,
  tags: ['Admin'],
  security: ADMIN_ONLY,
  parameters: parameters(...ADMIN),
  requestBody: {
    required: true,
    content: json('ContentBlock', { hash: { sha256: HASH, reason: 'Phishing.' } }),
  },
  responses: {
    '201': {
      ...{ description: 'It is blocked.', headers: headers(['Cache-Control']) },
      content: json('BlockedContent', { block: BLOCKED }),
    },
    ...failures([...ADMIN_CODES, ...BODY_CODES]),
  },
  'x-example-requests': [
    {
      ...{ summary: 'A hash', status: 201, headers: ADMIN_HEADERS },
      body: { type: 'application/json', example: 'hash' },
    },
  ],
};

const UNBLOCK: Operation = {
  operationId: 'unblockContent',
  summary: 'Let content be stored again',
  description: 'Ends a block. Takedowns are not undone by it.',
  tags: ['Admin'],
  security: ADMIN_ONLY,
  parameters: parameters('ContentHash', ...ADMIN),
  responses: {
    '204': { description: 'It may be stored.', headers: headers(['Cache-Control']) },
    ...failures(['NOT_FOUND', ...ADMIN_CODES]),
  },
  'x-example-requests': [
    { summary: 'A hash', status: 204, needs: 'blocked content', headers: ADMIN_HEADERS },
    {
      ...{ summary: 'One that is not blocked', status: 404, headers: ADMIN_HEADERS },
      path: { hash: '00000000000000000000000000000000' },
    },
  ],
};

/** Takedowns of several items, and content that may not come back (specification 18.10). */
export function takedownRoutes(deps: AdminDependencies) {
  const { bus, budget } = deps;
  const actions = createOperatorActions(deps);
  const read = (context: RequestContext): Promise<Record<string, unknown>> => {
    const tooLarge = () => errors.validationFailed([{ field: 'body', message: 'is too long for this.' }]);
    return readJsonObject(context, { bytes: BODY_BYTES, tooLarge }, budget);
  };
  return new Elysia()
    .use(admitted(deps))
    .post(
      '/api/admin/takedowns',
      async ({ context, operator }) => {
        const takedown = parseTakedown(await read(context));
        return Response.json(await actions.takeDownMany({ context, operator }, takedown), {
          headers: noStore,
        });
      },
      { parse: 'none', detail: documented(TAKE_DOWN, 'operator') },
    )
    .get(
      '/api/admin/blocked-content',
      async ({ context }) => {
        const { page } = parseListQuery(context.query(), PAGE, () => null);
        const input = { offset: page.offset, limit: page.limit };
        const found = await call(bus, takedowns.listBlockedContent, input, context.callContext);
        return answerList(found.blocked.map(shown), { count: found.total });
      },
      { detail: documented(LIST_BLOCKED, 'operator') },
    )
    .post(
      '/api/admin/blocked-content',
      async ({ context, operator }) => {
        const { hash, reason } = parseContentBlock(await read(context));
        const block = await actions.blockContent({ context, operator }, hash, reason);
        return Response.json(shown(block), { status: 201, headers: noStore });
      },
      { parse: 'none', detail: documented(BLOCK, 'operator') },
    )
    .delete(
      '/api/admin/blocked-content/:hash',
      async ({ context, operator, params }) => {
        const hash = params.hash.toLowerCase();
        if (!CONTENT_HASH.test(hash)) throw errors.blockedContentNotFound(params.hash);
        await actions.unblockContent({ context, operator }, hash);
        return new Response(null, { status: 204, headers: noStore });
      },
      { parse: 'none', detail: documented(UNBLOCK, 'operator') },
    );
}

const shown = ({ blockedAt, expiresAt, ...block }: takedowns.BlockedContent) => ({
  ...{ hash: block.hash, reason: block.reason, blockedAt: shownInstant(blockedAt) },
  ...{ blockedBy: block.blockedBy, expiresAt: shownInstant(expiresAt) },
});
