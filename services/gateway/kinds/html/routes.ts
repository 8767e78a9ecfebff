import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import * as pages from '../../../../shared/contracts/pages.ts';
import { readBlob } from '../../../../shared/items/read-blob.ts';
import { hashOwnerToken } from '../../auth/owner-token.ts';
import { requireOwnerOfSettings } from '../../auth/require-owner.ts';
import { isSet } from '../../http/flags.ts';
import { type Exchange, exchangeOf } from '../../http/request-context.ts';
import { admitChange, answerRead } from '../../items/authorize.ts';
import { type ItemAddress, itemNamed } from '../../items/find-live-item.ts';
import { answerOwnerList } from '../../items/owner-list.ts';
import { type CreateHead, openCreate } from '../../uploads/create-request.ts';
import { createdResponse } from '../../uploads/created-response.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { readPageOrFile } from './body.ts';
import { readPageCreate } from './input.ts';
import type { PageResponder } from './respond.ts';
import { createdPage, listedPage, pageSettings, pageSource, updatedPage } from './serializer.ts';
import { readPageUpdate } from './update-input.ts';

/** For answers to the owner alone: with `?token=` even their address is a secret. */
const OWNER_ONLY = { 'Cache-Control': 'private, no-store' };

/** Publishes as a file a body that turned out to be one (specification 4.3). */
type PublishFile = (
  exchange: Exchange,
  head: CreateHead,
  upload: { bytes: Uint8Array; filename: string; extension: string; fields: Record<string, unknown> },
) => Promise<Response>;

/** HTML, markdown and text pages (specification, chapter 4). */
export function htmlRoutes(deps: UploadDependencies, responder: PageResponder, publishFile: PublishFile) {
  const { bus, limits } = deps;
  const { baseUrl } = deps.config;
  const raw = { parse: 'none' } as const;

  const describe = async (exchange: Exchange, address: ItemAddress) => {
    await limits.admit(exchange, 'reads');
    const ownerHash = hashOwnerToken(requireOwnerOfSettings(exchange));
    const page = await call(bus, pages.describePage, { ...itemNamed(address), ownerHash }, exchange.context);
    exchange.met = { kind: 'html', namespace: page.namespace, id: page.id };
    return page;
  };

  return new Elysia({ prefix: '/api/html' })
    .get('/', ({ request }) =>
      answerOwnerList(deps, exchangeOf(request), pages.listPages, (page, views) =>
        listedPage(page, views, baseUrl),
      ),
    )
    .post(
      '/',
      async ({ request }) => {
        const exchange = exchangeOf(request);
        await limits.admit(exchange, 'uploads');
        const head = openCreate(exchange);
        const body = await readPageOrFile(exchange, deps.budget);
        if ('file' in body) {
          const upload = { bytes: body.file, filename: 'upload', extension: body.extension, fields: {} };
          return await publishFile(exchange, head, upload);
        }
        const { input, ownerTokenOf } = await readPageCreate(deps, exchange, head, body);
        const { item, existing, receiptSalt } = await call(bus, pages.createPage, input, exchange.context);
        return createdResponse(
          exchange,
          'html',
          createdPage(item, ownerTokenOf({ receiptSalt }), baseUrl),
          existing,
        );
      },
      raw,
    )
    .get('/:ns/:id', async ({ request, params }) => {
      const exchange = exchangeOf(request);
      const query = exchange.query();
      const how = { raw: isSet(query, 'raw'), download: isSet(query, 'dl'), ownOrigin: false };
      return await answerRead(deps, exchange, 'html', params, ({ route, views }) =>
        responder.respond(exchange, route, how, views),
      );
    })
    .put(
      '/:ns/:id',
      async ({ request, params }) => {
        const exchange = exchangeOf(request);
        const { route, owned } = await admitChange(deps, exchange, 'html', params);
        const input = await readPageUpdate(deps, exchange, route, owned);
        return Response.json(
          updatedPage(await call(bus, pages.updatePage, input, exchange.context), baseUrl),
        );
      },
      raw,
    )
    .delete(
      '/:ns/:id',
      async ({ request, params }) => {
        const exchange = exchangeOf(request);
        const { owned } = await admitChange(deps, exchange, 'html', params);
        await call(bus, pages.removePage, owned, exchange.context);
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
        await readBlob(deps.blobs, page.content.blobKey),
      );
      return Response.json(pageSource(page, content), { headers: OWNER_ONLY });
    });
}
