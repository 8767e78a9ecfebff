import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import { listOwnedItems, OWNED_ITEMS_PER_PAGE } from '../../../../shared/contracts/owners.ts';
import { newOwnerToken } from '../../../../shared/ids.ts';
import { limited } from '../../admission/limited.ts';
import { hashOwnerToken, ownerTokenOf } from '../../auth/owner-token.ts';
import { parseKind } from '../../http/kind-filter.ts';
import { numberedPage, parseNumberedPage, windowOf } from '../../http/numbered-page.ts';
import { collectIssues } from '../../http/validation-issues.ts';
import { currentViews } from '../../items/current-views.ts';
import { ownedItem } from '../../items/serializer.ts';
import { documented } from '../../openapi/documented.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import * as operations from './openapi.ts';

const PAGE_SIZE = { default: 100, max: OWNED_ITEMS_PER_PAGE };

/** Tokens, and what they own in all namespaces (specification 15.1 and 15.2). */
export function ownerRoutes(deps: UploadDependencies) {
  const { bus, cache, config } = deps;

  return new Elysia({ prefix: '/api/owner' })
    .use(limited(deps))
    .post(
      '',
      async () => {
        return Response.json(
          { ownerToken: newOwnerToken() },
          { status: 201, headers: { 'Cache-Control': 'no-store' } },
        );
      },
      { limit: 'uploads', parse: 'none', detail: documented(operations.mint) },
    )
    .get(
      '/items',
      async ({ context }) => {
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
        const shaped = items.map((item, index) => ownedItem(item, views[index] ?? 0, config.baseUrl));
        return Response.json(numberedPage(shaped, total, page), {
          headers: { 'Cache-Control': 'private, no-store' },
        });
      },
      { limit: 'reads', detail: documented(operations.items) },
    );
}
