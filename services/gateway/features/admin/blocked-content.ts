import { type TSchema, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import * as takedowns from '../../../../shared/contracts/takedowns.ts';
import { errors } from '../../../../shared/errors.ts';
import { EMPTY_ETAG, etagOf } from '../../../../shared/items/etag.ts';
import type { MemoryBudget } from '../../admission/memory-budget.ts';
import { bodyUpTo, readJsonObject } from '../../admission/read-body.ts';
import { parseText } from '../../http/parameters.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { collectIssues, type ValidationIssues } from '../../http/validation-issues.ts';
import { instant as shownInstant } from '../../items/serializer.ts';
import { json, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { headers } from '../../openapi/headers.ts';
import { JSON_BODY_CODES } from '../../openapi/responses.ts';
import { SAMPLE } from '../../openapi/samples.ts';
import { answer, instant, list, request, text } from '../../openapi/schema-parts.ts';
import { CHARACTERS } from '../../openapi/text-patterns.ts';
import { type AdminDependencies, admitted, NO_STORE } from './admitted.ts';
import { REASON_CHARACTERS } from './block-input.ts';
import { answerList, parseListQuery } from './list-page.ts';
import { operatorOperation } from './operation.ts';
import { createOperatorActions } from './operator-actions.ts';

/** Room for the longest texts with every character escaped. */
const BODY_LIMIT = bodyUpTo(16_384);

const PAGE = { default: 100, max: takedowns.BLOCKED_PER_PAGE, id: null };

/** A SHA-256 in hex, or its first half, which is the ETag of the content. */
const CONTENT_HASH = /^(?:[0-9a-f]{32}|[0-9a-f]{64})$/;

export const SAMPLE_HASH = '5d1f0c7b2a9e4386b0c1d2e3f4a5968778695a4b3c2d1e0f0f1e2d3c4b5a6978';

export const sha256Schema = Type.String({
  pattern: '^(?:[0-9A-Fa-f]{32}|[0-9A-Fa-f]{64})$',
  description: 'A SHA-256 in hex, or its first 32 digits, as the ETag of the content has them.',
});
export const reasonSchema = Type.String({
  minLength: 1,
  maxLength: REASON_CHARACTERS,
  description: 'For the audit trail.',
  pattern: CHARACTERS.visibleLine,
  examples: ['Phishing.'],
});

/** Schemas of content that cannot be stored. */
export const BLOCKED_CONTENT_SCHEMAS: Record<string, TSchema> = {
  ContentBlock: request('Content to block. Items that have it stay.', {
    sha256: sha256Schema,
    reason: reasonSchema,
  }),
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
  hash: SAMPLE_HASH,
  reason: 'Phishing.',
  blockedAt: SAMPLE.createdAt,
  blockedBy: '192.0.2.1',
  expiresAt: SAMPLE.expiresAt,
};
const LIST_BLOCKED = operatorOperation({
  operationId: 'listBlockedContent',
  summary: 'Blocked content',
  description: 'What cannot be stored now, what was blocked last first.',
  parameters: ['BlocksLimit', 'ListOffset'],
  responses: {
    '200': ok('A part of the list.', json('BlockedContentList', { page: [BLOCKED] }), [
      ['Cache-Control', 'X-Total-Count'],
    ]),
  },
  errors: ['VALIDATION_FAILED'],
  'x-example-requests': [
    { summary: 'All', status: 200, query: { limit: '10', offset: '0' } },
    { summary: 'Without the password', status: 401 },
  ],
});

const BLOCK = operatorOperation({
  operationId: 'blockContent',
  summary: 'Block content',
  description: `For ${takedowns.CONTENT_BLOCK_DAYS} days, from the answer on and on every gateway, creates and updates whose bytes have this hash are answered 403 \`CONTENT_BLOCKED\`: pages, documents, files, and sites with such a file. Values of stores are not looked at. Items that have it stay.`,
  requestBody: {
    required: true,
    content: json('ContentBlock', { hash: { sha256: SAMPLE_HASH, reason: 'Phishing.' } }),
  },
  responses: {
    '201': {
      description: 'It is blocked.',
      headers: headers(['Cache-Control']),
      content: json('BlockedContent', { block: BLOCKED }),
    },
  },
  errors: JSON_BODY_CODES,
  'x-example-requests': [
    {
      summary: 'A hash',
      status: 201,
      body: { type: 'application/json', example: 'hash' },
    },
  ],
});

const UNBLOCK = operatorOperation({
  operationId: 'unblockContent',
  summary: 'Let content be stored again',
  description: 'Ends a block. Takedowns are not undone by it.',
  parameters: ['ContentHash'],
  responses: {
    '204': { description: 'It may be stored.', headers: headers(['Cache-Control']) },
  },
  errors: ['NOT_FOUND'],
  'x-example-requests': [
    { summary: 'A hash', status: 204, needs: 'blocked content' },
    {
      summary: 'One that is not blocked',
      status: 404,
      path: { hash: '00000000000000000000000000000000' },
    },
  ],
});

/** Content that may not come back (specification 18.10). */
export function blockedContentRoutes(deps: AdminDependencies) {
  const { bus, budget } = deps;
  const actions = createOperatorActions(deps);
  return new Elysia()
    .use(admitted(deps))
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
        const { hash, reason } = parseContentBlock(await readTakedownBody(context, budget));
        const block = await actions.blockContent({ context, operator }, hash, reason);
        return Response.json(shown(block), { status: 201, headers: NO_STORE });
      },
      { parse: 'none', detail: documented(BLOCK, 'operator') },
    )
    .delete(
      '/api/admin/blocked-content/:hash',
      async ({ context, operator, params }) => {
        await actions.unblockContent({ context, operator }, contentHashNamed(params.hash));
        return new Response(null, { status: 204, headers: NO_STORE });
      },
      { parse: 'none', detail: documented(UNBLOCK, 'operator') },
    );
}

const shown = ({ blockedAt, expiresAt, ...block }: takedowns.BlockedContent) => ({
  hash: block.hash,
  reason: block.reason,
  blockedAt: shownInstant(blockedAt),
  blockedBy: block.blockedBy,
  expiresAt: shownInstant(expiresAt),
});

/** The content that a path or a form names. @throws NOT_FOUND when none can have that hash */
export function contentHashNamed(text: string): string {
  const hash = text.toLowerCase();
  if (CONTENT_HASH.test(hash)) return hash;
  throw errors.blockedContentNotFound(text);
}

/** The body of a takedown or block. @throws VALIDATION_FAILED when it is too long, JSON_INVALID */
export function readTakedownBody(
  context: RequestContext,
  budget: MemoryBudget,
): Promise<Record<string, unknown>> {
  return readJsonObject(context, BODY_LIMIT, budget);
}

/** Content to block, checked. @throws VALIDATION_FAILED that names every issue */
export function parseContentBlock(fields: Record<string, unknown>): { hash: string; reason: string } {
  const issues = collectIssues();
  const hash = parseHash(fields.sha256, issues);
  if (hash === null && isEmpty(fields.sha256)) issues.add('sha256', 'is needed.');
  const reason = parseReason(fields.reason, true, issues);
  issues.throwIfAny();
  return { hash: hash ?? '', reason };
}

export const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

export function parseReason(value: unknown, needed: boolean, issues: ValidationIssues): string {
  const reason = parseText(value, 'reason', REASON_CHARACTERS, issues);
  if (reason === null && needed) issues.add('reason', 'is needed, for those who read the audit trail later.');
  return reason ?? '';
}

/** The hash of content to take down or block. That of no bytes is refused: every empty file has it, whoever sent it. */
export function parseHash(value: unknown, issues: ValidationIssues): string | null {
  const hash = parseText(value, 'sha256', 64, issues)?.toLowerCase() ?? null;
  if (hash === null) return null;
  if (!CONTENT_HASH.test(hash)) issues.add('sha256', 'must be a SHA-256 in hex, or its first 32 digits.');
  else if (etagOf({ sha256: hash }) === EMPTY_ETAG)
    issues.add('sha256', 'is that of empty content, which anybody may have.');
  return hash;
}
