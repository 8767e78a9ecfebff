import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import { listOwnedItems, OWNED_ITEMS_PER_PAGE } from '../../../../shared/contracts/owners.ts';
import { limited } from '../../admission/limited.ts';
import { hashOwnerToken, ownerTokenOf } from '../../auth/owner-token.ts';
import { numberedPage, parseKind, parseNumberedPage, windowOf } from '../../http/parameters.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { collectIssues } from '../../http/validation-issues.ts';
import { heldJson } from '../../items/held-answers.ts';
import { currentViews, ownedItem } from '../../items/serializer.ts';
import { json, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import type { Operation } from '../../openapi/operation.ts';
import { OWNER, OWNER_OPTIONAL, parameters } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';
import { listedSample } from '../../openapi/samples.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';

const PAGE_SIZE = { default: 100, max: OWNED_ITEMS_PER_PAGE };
const OWN_TOKEN = { 'X-Owner-Token': '{ownerToken}' };
const OWNED = { type: 'html', ...listedSample, sizeBytes: 20_480 };

const OPERATION: Operation = {
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
    { summary: 'Everything', status: 200, needs: 'page', headers: OWN_TOKEN },
    {
      ...{ summary: 'The first ten stores', status: 200, needs: 'store', headers: OWN_TOKEN },
      query: { kind: 'kv', page: '1', size: '10' },
    },
    { summary: 'Nothing without a token', status: 200 },
  ],
};

/** The items that a token owns, in all namespaces (specification 15.2). */
export function listOwnedItemsRoutes(deps: UploadDependencies) {
  return new Elysia()
    .use(limited(deps))
    .get('/api/owner/items', ({ context }) => answerOwnedItems(deps, context), {
      limit: 'reads',
      detail: documented(OPERATION),
    });
}

/** Answers with a page of what the request's token owns. */
export async function answerOwnedItems(
  { bus, cache, heldAnswers }: UploadDependencies,
  context: RequestContext,
): Promise<Response> {
  const issues = collectIssues();
  const query = context.query();
  const page = parseNumberedPage(query, PAGE_SIZE, issues);
  const kind = parseKind(query, issues);
  issues.throwIfAny();
  const token = ownerTokenOf(context);
  const selection = { kind, ...windowOf(page) };
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
  return await heldJson(heldAnswers, context, list, { 'Cache-Control': 'private, no-store' });
}
