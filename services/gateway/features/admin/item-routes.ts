import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import { takeDownItem } from '../../../../shared/contracts/owners.ts';
import { exchangeOf } from '../../http/request-context.ts';
import { itemNamed } from '../../items/find-live-item.ts';
import type { AdminDependencies } from './dependencies.ts';

/** Takedown of items of any kind by the operator (specification 18.2). */
export function adminItemRoutes({ admin, bus }: AdminDependencies) {
  return new Elysia().delete(
    '/api/admin/items/:ns/:id',
    async ({ request, params }) => {
      const exchange = exchangeOf(request);
      await admin.admit(exchange);
      const { namespace, id } = itemNamed(params);
      const { clientIp, context } = exchange;
      const { kind } = await call(bus, takeDownItem, { namespace, id, clientIp }, context);
      exchange.met = { kind, namespace, id };
      return new Response(null, { status: 204, headers: { 'Cache-Control': 'no-store' } });
    },
    { parse: 'none' },
  );
}
