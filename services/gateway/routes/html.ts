import { Elysia } from 'elysia';
import { call } from '../../../shared/contracts/call.ts';
import { createPage, describePage, removePage, updatePage } from '../../../shared/contracts/content.ts';
import { readBlob } from '../../../shared/items/read-blob.ts';
import { hashOwnerToken } from '../access/owner-token.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { createdResponse } from '../http/created-response.ts';
import { type Exchange, exchangeOf } from '../http/exchange.ts';
import { isSet } from '../http/flags.ts';
import { readPageCreate } from '../intake/page-create.ts';
import { readPageUpdate } from '../intake/page-update.ts';
import { findLivePage, type ItemAddress, itemNamed } from '../resolve/find-live-page.ts';
import type { PageResponder } from '../resolve/page-response.ts';
import { requireOwner, requireOwnerOfSettings } from './owner-only.ts';
import { createdPage, pageSettings, pageSource, updatedPage } from './page-shapes.ts';

/** For answers to the owner alone: with `?token=` even their address is a secret. */
const OWNER_ONLY = { 'Cache-Control': 'private, no-store' };

/** HTML, markdown and text pages (specification 4.2). */
export function htmlRoutes(deps: GatewayDependencies, responder: PageResponder) {
  const { bus, limits, config } = deps;
  const raw = { parse: 'none' } as const;

  const findToChange = async (exchange: Exchange, address: ItemAddress) => {
    await limits.admit(exchange, 'changes');
    const { route } = await findLivePage(deps, exchange, address);
    return { route, ownerHash: requireOwner(exchange, route) };
  };

  const describe = async (exchange: Exchange, address: ItemAddress) => {
    await limits.admit(exchange, 'reads');
    const ownerHash = hashOwnerToken(requireOwnerOfSettings(exchange));
    return await call(bus, describePage, { ...itemNamed(address), ownerHash }, exchange.context);
  };

  return new Elysia({ prefix: '/api/html' })
    .post(
      '/',
      async ({ request }) => {
        const exchange = exchangeOf(request);
        await limits.admit(exchange, 'uploads');
        const { input, ownerToken } = await readPageCreate(deps, exchange);
        const { item, existing } = await call(bus, createPage, input, exchange.context);
        return createdResponse(exchange, createdPage(item, ownerToken, config.baseUrl), existing);
      },
      raw,
    )
    .get('/:ns/:id', async ({ request, params }) => {
      const exchange = exchangeOf(request);
      await limits.admit(exchange, 'reads');
      const { route, views } = await findLivePage(deps, exchange, params);
      await deps.access.allow(exchange, route);
      const query = exchange.query();
      const how = { raw: isSet(query, 'raw'), download: isSet(query, 'dl') };
      return await responder.respond(route, how, views, request.headers.get('if-none-match'));
    })
    .put(
      '/:ns/:id',
      async ({ request, params }) => {
        const exchange = exchangeOf(request);
        const { route, ownerHash } = await findToChange(exchange, params);
        const input = await readPageUpdate(deps, exchange, route, ownerHash);
        const item = await call(bus, updatePage, input, exchange.context);
        return Response.json(updatedPage(item, config.baseUrl));
      },
      raw,
    )
    .delete(
      '/:ns/:id',
      async ({ request, params }) => {
        const exchange = exchangeOf(request);
        const { route, ownerHash } = await findToChange(exchange, params);
        const { namespace, id } = route;
        await call(bus, removePage, { namespace, id, ownerHash }, exchange.context);
        return new Response(null, { status: 204 });
      },
      raw,
    )
    .get('/:ns/:id/settings', async ({ request, params }) => {
      const page = await describe(exchangeOf(request), params);
      return Response.json(pageSettings(page), { headers: OWNER_ONLY });
    })
    .get('/:ns/:id/source', async ({ request, params }) => {
      const page = await describe(exchangeOf(request), params);
      const content = new TextDecoder('utf-8', { ignoreBOM: true }).decode(
        await readBlob(deps.blobs, page.blobKey),
      );
      return Response.json(pageSource(page, content), { headers: OWNER_ONLY });
    });
}
