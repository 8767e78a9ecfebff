import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import * as pages from '../../../../shared/contracts/html.ts';
import { readBlob } from '../../../../shared/items/read-blob.ts';
import { limited } from '../../admission/limited.ts';
import { hashOwnerToken } from '../../auth/owner-token.ts';
import { requireOwnerOfSettings } from '../../auth/require-owner.ts';
import { isSet } from '../../http/flags.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { admitChange, answerRead } from '../../items/authorize.ts';
import { type ItemAddress, itemNamed } from '../../items/find-live-item.ts';
import { answerOwnerList } from '../../items/owner-list.ts';
import { documented } from '../../openapi/documented.ts';
import { type CreateHead, openCreate } from '../../uploads/create-request.ts';
import { createdResponse } from '../../uploads/created-response.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { readPageOrFile } from './body.ts';
import { readPageCreate } from './input.ts';
import * as operations from './openapi.ts';
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
    .use(limited(deps))
    .get(
      '',
      ({ context }) =>
        answerOwnerList(deps, context, pages.listHtml, (page, views) => listedPage(page, views, baseUrl)),
      { detail: documented(operations.list) },
    )
    .post(
      '',
      async ({ context }) => {
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
      { limit: 'uploads', parse: 'none', detail: documented(operations.publish) },
    )
    .get(
      '/:ns/:id',
      async ({ context, params }) => {
        const query = context.query();
        const how = { raw: isSet(query, 'raw'), download: isSet(query, 'dl'), ownOrigin: false };
        return await answerRead(deps, context, 'html', params, ({ record, views }) =>
          responder.respond(context, record, how, views),
        );
      },
      { detail: documented(operations.read) },
    )
    .put(
      '/:ns/:id',
      async ({ context, params }) => {
        const { record, owned } = await admitChange(deps, context, 'html', params);
        const input = await readPageUpdate(deps, context, record, owned);
        return Response.json(
          updatedPage(await call(bus, pages.updateHtml, input, context.callContext), baseUrl),
        );
      },
      { parse: 'none', detail: documented(operations.update) },
    )
    .delete(
      '/:ns/:id',
      async ({ context, params }) => {
        const { owned } = await admitChange(deps, context, 'html', params);
        await call(bus, pages.removeHtml, owned, context.callContext);
        return new Response(null, { status: 204 });
      },
      { parse: 'none', detail: documented(operations.remove) },
    )
    .get(
      '/:ns/:id/settings',
      async ({ context, params }) => {
        const page = await describe(context, params);
        return Response.json(pageSettings(page), { headers: OWNER_ONLY });
      },
      { detail: documented(operations.settings) },
    )
    .get(
      '/:ns/:id/source',
      async ({ context, params }) => {
        const page = await describe(context, params);
        const content = new TextDecoder('utf-8', { ignoreBOM: true }).decode(
          await readBlob(deps.blobs, page.content.blobKey),
        );
        return Response.json(pageSource(page, content), { headers: OWNER_ONLY });
      },
      { detail: documented(operations.source) },
    );
}
