import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import { takeDownItem } from '../../../../shared/contracts/owners.ts';
import { itemNamed } from '../../items/find-live-item.ts';
import { documented } from '../../openapi/documented.ts';
import { admitted } from './admitted.ts';
import type { AdminDependencies } from './dependencies.ts';
import * as operations from './report-openapi.ts';

/** Takedown of items of any kind by the operator (specification 18.2). */
export function adminItemRoutes(deps: AdminDependencies) {
  const { bus } = deps;
  return new Elysia().use(admitted(deps)).delete(
    '/api/admin/items/:ns/:id',
    async ({ context, params }) => {
      const { namespace, id } = itemNamed(params);
      const { clientIp, callContext } = context;
      const { kind } = await call(bus, takeDownItem, { namespace, id, clientIp }, callContext);
      context.item = { kind, namespace, id };
      return new Response(null, { status: 204, headers: { 'Cache-Control': 'no-store' } });
    },
    { parse: 'none', detail: documented(operations.takeDown, 'operator') },
  );
}
