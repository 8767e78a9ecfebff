import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import * as pages from '../../../../shared/contracts/html.ts';
import { readBlob } from '../../../../shared/items/read-blob.ts';
import { hashOwnerToken } from '../../auth/owner-token.ts';
import { requireOwnerOfSettings } from '../../auth/require-owner.ts';
import { isSet } from '../../http/flags.ts';
import { type RequestContext, requestContextOf } from '../../http/request-context.ts';
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
  context: RequestContext,
  head: CreateHead,
  upload: { bytes: Uint8Array; filename: string; extension: string; fields: Record<string, unknown> },
) => Promise<Response>;

/** HTML, markdown and text pages (specification, chapter 4). */
export function htmlRoutes(deps: UploadDependencies, responder: PageResponder, publishFile: PublishFile) {
  const { bus, limits } = deps;
  const { baseUrl } = deps.config;
  const raw = { parse: 'none' } as const;

  const describe = async (context: RequestContext, address: ItemAddress) => {
    await limits.admit(context, 'reads');
    const ownerHash = hashOwnerToken(requireOwnerOfSettings(context));
    const page = await call(
      bus,
      pages.describeHtml,
      { ...itemNamed(address), ownerHash },
      context.callContext,
    );
    context.item = { kind: 'html', namespace: page.namespace, id: page.id };
    return page;
  };

  return new Elysia({ prefix: '/api/html' })
    .get('/', ({ request }) =>
      answerOwnerList(deps, requestContextOf(request), pages.listHtml, (page, views) =>
        listedPage(page, views, baseUrl),
      ),
    )
    .post(
      '/',
      async ({ request }) => {
        const context = requestContextOf(request);
        await limits.admit(context, 'uploads');
        const head = openCreate(context);
        const body = await readPageOrFile(context, deps.budget);
        if ('file' in body) {
          const upload = { bytes: body.file, filename: 'upload', extension: body.extension, fields: {} };
          return await publishFile(context, head, upload);
        }
        const { input, ownerTokenOf } = await readPageCreate(deps, context, head, body);
        const { item, existing, idempotencySalt } = await call(
          bus,
          pages.createHtml,
          input,
          context.callContext,
        );
        return createdResponse(
          context,
          'html',
          createdPage(item, ownerTokenOf({ idempotencySalt }), baseUrl),
          existing,
        );
      },
      raw,
    )
    .get('/:ns/:id', async ({ request, params }) => {
      const context = requestContextOf(request);
      const query = context.query();
      const how = { raw: isSet(query, 'raw'), download: isSet(query, 'dl'), ownOrigin: false };
      return await answerRead(deps, context, 'html', params, ({ record, views }) =>
        responder.respond(context, record, how, views),
      );
    })
    .put(
      '/:ns/:id',
      async ({ request, params }) => {
        const context = requestContextOf(request);
        const { record, owned } = await admitChange(deps, context, 'html', params);
        const input = await readPageUpdate(deps, context, record, owned);
        return Response.json(
          updatedPage(await call(bus, pages.updateHtml, input, context.callContext), baseUrl),
        );
      },
      raw,
    )
    .delete(
      '/:ns/:id',
      async ({ request, params }) => {
        const context = requestContextOf(request);
        const { owned } = await admitChange(deps, context, 'html', params);
        await call(bus, pages.removeHtml, owned, context.callContext);
        return new Response(null, { status: 204 });
      },
      raw,
    )
    .get('/:ns/:id/settings', async ({ request, params }) => {
      const page = await describe(requestContextOf(request), params);
      return Response.json(pageSettings(page), { headers: OWNER_ONLY });
    })
    .get('/:ns/:id/source', async ({ request, params }) => {
      const page = await describe(requestContextOf(request), params);
      const content = new TextDecoder('utf-8', { ignoreBOM: true }).decode(
        await readBlob(deps.blobs, page.content.blobKey),
      );
      return Response.json(pageSource(page, content), { headers: OWNER_ONLY });
    });
}
