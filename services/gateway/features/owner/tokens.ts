import { type TSchema, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import { listOwnedItems, OWNED_ITEMS_PER_PAGE } from '../../../../shared/contracts/owners.ts';
import { newOwnerToken, newPlainOwnerToken } from '../../../../shared/ids.ts';
import { KINDS, LIMITS } from '../../../../shared/items/item.ts';
import { limited } from '../../admission/limited.ts';
import { hashOwnerToken, ownerTokenOf } from '../../auth/owner-token.ts';
import { numberedPage, offsetAndLimit, parseKind, parseNumberedPage } from '../../http/parameters.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { collectIssues } from '../../http/validation-issues.ts';
import { heldJson } from '../../items/response-memory.ts';
import { currentViews, ownedItem } from '../../items/serializer.ts';
import { json, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { headers, RATE_LIMIT } from '../../openapi/headers.ts';
import { byOwner } from '../../openapi/item-operations.ts';
import type { Operation } from '../../openapi/operation.ts';
import { OWNER, OWNER_OPTIONAL, parameters } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';
import { listedSample } from '../../openapi/samples.ts';
import * as schemas from '../../openapi/schema-parts.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';

/** Schemas of owner tokens, and of what one owns. */
export const OWNER_SCHEMAS: Record<string, TSchema> = {
  OwnerToken: schemas.answer('A new owner token.', {
    ownerToken: Type.String({
      minLength: LIMITS.ownerTokenMinCharacters,
      description: 'Send it with creates. It cannot be recovered.',
    }),
  }),
  PlainOwnerToken: schemas.answer('A new owner token, and the id of its owner.', {
    token: Type.String({
      pattern: '^[A-Za-z0-9]{32}$',
      description: 'Send it as `X-Owner-Token`. It cannot be recovered.',
    }),
    ownerId: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'The SHA-256 of the token in hex: all that the server will know of it.',
    }),
  }),
  OwnedItem: schemas.answer('An item of whatever kind, for its owner.', {
    ...schemas.NAME,
    type: Type.Unsafe({ type: 'string', enum: KINDS, description: "The item's kind." }),
    ...schemas.title,
    ...schemas.URLS,
    ...schemas.sizeBytes,
    ...schemas.tags,
    ...schemas.hasPassword,
    ...schemas.ttlDays,
    ...schemas.createdAt,
    ...schemas.updatedAt,
    ...schemas.expiresAt,
    ...schemas.views,
    ...schemas.quarantine,
  }),
  OwnedItemPage: schemas.numberedPage('OwnedItem', 'What a token owns in all namespaces, newest first.'),
};

const TOKEN = 'own_Jx0pZ6Wc2Vn7bQ1sT4uY8kLmN3rE5aG9hDfKiOjPqRt';

const CREATE_TOKEN: Operation = {
  operationId: 'createOwnerToken',
  summary: 'Make an owner token',
  description:
    'A token to send with creates (`X-Owner-Token`), so that all they make has one owner. A create without one makes its own: this is for who wants the token first. Nothing is stored until something is created.',
  tags: ['Owner'],
  security: [],
  parameters: parameters(),
  responses: {
    '201': {
      description: 'The token. It counts as a create in the limits.',
      headers: headers(['Cache-Control'], RATE_LIMIT),
      content: json('OwnerToken', { token: { ownerToken: TOKEN } }),
    },
    ...failures(['CLIENT_BLOCKED', 'RATE_LIMITED']),
  },
  'x-example-requests': [{ summary: 'A token', status: 201 }],
};

const PLAIN_TOKEN = 'q7Rk2ZpV9sWc4Xn8Lb3TfYh6Md1JgQa5';

const GET_TOKEN: Operation = {
  operationId: 'getOwnerToken',
  summary: 'A new owner token, by GET',
  description:
    'As `POST /api/owner`, for clients that ask this way: 32 letters and digits, and the id of their owner. 60 a minute, in a window of its own. Nothing is stored until something is created.',
  tags: ['Owner'],
  security: [],
  parameters: parameters(),
  responses: {
    '200': ok(
      'The token.',
      json('PlainOwnerToken', { token: { token: PLAIN_TOKEN, ownerId: hashOwnerToken(PLAIN_TOKEN) } }),
      [['Cache-Control']],
    ),
    ...failures(['CLIENT_BLOCKED', 'RATE_LIMITED'], { local: true }),
  },
  'x-example-requests': [{ summary: 'A token', status: 200 }],
};

const PAGE_SIZE = { default: 100, max: OWNED_ITEMS_PER_PAGE };
const OWNED = { type: 'html', ...listedSample, sizeBytes: 20_480 };

const LIST_OWNED: Operation = {
  operationId: 'listOwnedItems',
  summary: 'All that a token owns',
  description: 'Items of all kinds in all namespaces, newest first. Empty without a token.',
  tags: ['Owner'],
  security: OWNER_OPTIONAL,
  parameters: parameters('Kind', 'Page', 'OwnedSize', ...OWNER),
  responses: {
    '200': ok(
      'A page of the list.',
      json('OwnedItemPage', { page: { items: [OWNED], total: 1, page: 1, size: 100, pages: 1 } }),
      [['Cache-Control']],
    ),
    ...failures(['VALIDATION_FAILED', 'RATE_LIMITED']),
  },
  'x-example-requests': [
    { summary: 'Everything', status: 200, ...byOwner('html') },
    {
      summary: 'The first ten stores',
      status: 200,
      ...byOwner('kv'),
      query: { kind: 'kv', page: '1', size: '10' },
    },
    { summary: 'Nothing without a token', status: 200 },
  ],
};

/** New owner tokens (specification 15.1 and specification 15.6), stored nowhere, and what one owns (specification 15.2). */
export const ownerTokenRoutes = (deps: UploadDependencies) =>
  new Elysia()
    .use(limited(deps))
    .post(
      '/api/owner',
      () =>
        Response.json(
          { ownerToken: newOwnerToken() },
          { status: 201, headers: { 'Cache-Control': 'no-store' } },
        ),
      { limit: 'uploads', parse: 'none', detail: documented(CREATE_TOKEN) },
    )
    .get(
      '/api/owner-token',
      () => {
        const token = newPlainOwnerToken();
        const headers = { 'Cache-Control': 'no-store' };
        return Response.json({ token, ownerId: hashOwnerToken(token) }, { headers });
      },
      { limit: 'tokens', detail: documented(GET_TOKEN) },
    )
    .get('/api/owner/items', ({ context }) => answerOwnedItems(deps, context), {
      limit: 'reads',
      detail: documented(LIST_OWNED),
    });

/** Answers with a page of what the request's token owns. */
export async function answerOwnedItems(
  { bus, cache, responseMemory }: UploadDependencies,
  context: RequestContext,
): Promise<Response> {
  const issues = collectIssues();
  const query = context.query();
  const page = parseNumberedPage(query, PAGE_SIZE, issues);
  const kind = parseKind(query, issues);
  issues.throwIfAny();
  const token = ownerTokenOf(context);
  const selection = { kind, ...offsetAndLimit(page) };
  const { items, total } =
    token === null
      ? { items: [], total: 0 }
      : await call(
          bus,
          listOwnedItems,
          { ownerHash: hashOwnerToken(token), ...selection },
          context.callContext,
        );
  const views = await currentViews(cache, items);
  const shaped = items.map((item, index) => ownedItem(item, views[index] ?? 0, context.baseUrl));
  const list = numberedPage(shaped, total, page);
  return heldJson(responseMemory, context, list, { 'Cache-Control': 'private, no-store' });
}
