import { Elysia } from 'elysia';
import { ownerTokenOf, ownsItem } from '../../auth/owner-token.ts';
import { exchangeOf } from '../../http/request-context.ts';
import { admitReadOfAny } from '../../items/authorize.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';

/**
 * Whether the request's token owns an item (specification 15.3). It is a read by the
 * rules of reads, and counts no view: of a protected item only those who may read it learn what it is.
 */
export function ownerCheckRoutes(deps: UploadDependencies) {
  return new Elysia().get('/api/:ns/:id/owner-check', async ({ request, params }) => {
    const exchange = exchangeOf(request);
    const route = await admitReadOfAny(deps, exchange, params);
    const token = ownerTokenOf(exchange);
    const owner = token !== null && ownsItem(token, route.ownerHash);
    return Response.json({ type: route.kind, owner }, { headers: { 'Cache-Control': 'private, no-store' } });
  });
}
