import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import { takeDownItem } from '../../../../shared/contracts/owners.ts';
import { requestContextOf } from '../../http/request-context.ts';
import { itemNamed } from '../../items/find-live-item.ts';
import type { AdminDependencies } from './dependencies.ts';

/** Takedown of items of any kind by the operator (specification 18.2). */
export function adminItemRoutes({ admin, bus }: AdminDependencies) {
  return new Elysia().delete(
    '/api/admin/items/:ns/:id',
    async ({ request, params }) => {
      const context = requestContextOf(request);
      await admin.admit(context);
      const { namespace, id } = itemNamed(params);
      const { clientIp, callContext } = context;
      const { kind } = await call(bus, takeDownItem, { namespace, id, clientIp }, callContext);
      context.item = { kind, namespace, id };
      return new Response(null, { status: 204, headers: { 'Cache-Control': 'no-store' } });
    },
    { parse: 'none' },
  );
}
