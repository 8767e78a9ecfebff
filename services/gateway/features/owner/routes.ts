import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import { listOwnedItems, OWNED_ITEMS_PER_PAGE } from '../../../../shared/contracts/owners.ts';
import { newOwnerToken } from '../../../../shared/ids.ts';
import { hashOwnerToken, ownerTokenOf } from '../../auth/owner-token.ts';
import { parseKind } from '../../http/kind-filter.ts';
import { numberedPage, parseNumberedPage, windowOf } from '../../http/numbered-page.ts';
import { exchangeOf } from '../../http/request-context.ts';
import { collectFaults } from '../../http/validation-issues.ts';
import { currentViews } from '../../items/current-views.ts';
import { ownedItem } from '../../items/serializer.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';

const PAGE_SIZE = { default: 100, max: OWNED_ITEMS_PER_PAGE };

/** Tokens, and what they own in all namespaces (specification 15.1 and 15.2). */
export function ownerRoutes(deps: UploadDependencies) {
  const { bus, cache, limits, config } = deps;

  return new Elysia({ prefix: '/api/owner' })
    .post(
      '/',
      async ({ request }) => {
        const exchange = exchangeOf(request);
        await limits.admit(exchange, 'uploads');
        return Response.json(
          { ownerToken: newOwnerToken() },
          { status: 201, headers: { 'Cache-Control': 'no-store' } },
        );
      },
      { parse: 'none' },
    )
    .get('/items', async ({ request }) => {
      const exchange = exchangeOf(request);
      await limits.admit(exchange, 'reads');
      const faults = collectFaults();
      const query = exchange.query();
      const page = parseNumberedPage(query, PAGE_SIZE, faults);
      const kind = parseKind(query, faults);
      faults.throwIfAny();
      const token = ownerTokenOf(exchange);
      const selection = { kind, ...windowOf(page) };
      const { items, total } =
        token === null
          ? { items: [], total: 0 }
          : await call(
              bus,
              listOwnedItems,
              { ownerHash: hashOwnerToken(token), ...selection },
              exchange.context,
            );
      const views = await currentViews(cache, items);
      const shaped = items.map((item, index) => ownedItem(item, views[index] ?? 0, config.baseUrl));
      return Response.json(numberedPage(shaped, total, page), {
        headers: { 'Cache-Control': 'private, no-store' },
      });
    });
}
