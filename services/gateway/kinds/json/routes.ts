import type { Static } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import * as documents from '../../../../shared/contracts/json.ts';
import { etagOf } from '../../../../shared/items/etag.ts';
import { limited } from '../../admission/limited.ts';
import { collectIssues } from '../../http/validation-issues.ts';
import { admitChange, answerRead } from '../../items/authorize.ts';
import { answerOwnerList } from '../../items/owner-list.ts';
import { createdItem, listedItem, updatedItem } from '../../items/serializer.ts';
import { documented } from '../../openapi/documented.ts';
import { completeCreate, hashPasswordOf, openCreate, parseCreate } from '../../uploads/create-request.ts';
import { createdResponse } from '../../uploads/created-response.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { storeBlob } from '../../uploads/store-blob.ts';
import { readDocumentCondition } from './conditions.ts';
import { readDocument } from './input.ts';
import * as operations from './openapi.ts';
import { respondWithDocument } from './respond.ts';

type Document = Static<typeof documents.JsonItem>;

/** JSON documents (specification, chapter 6). */
export function jsonRoutes(deps: UploadDependencies) {
  const { bus, budget, blobs, blobKeys } = deps;
  const { baseUrl } = deps.config;

  const listed = (document: Document, views: number) => ({
    ...listedItem('json', document, views, baseUrl),
    content: document.excerpt ?? '',
    size: document.sizeBytes,
  });

  return new Elysia({ prefix: '/api/json' })
    .use(limited(deps))
    .get('', ({ context }) => answerOwnerList(deps, context, documents.listJson, listed), {
      detail: documented(operations.list),
    })
    .post(
      '',
      async ({ context }) => {
        const head = openCreate(context);
        const parameters = parseCreate(context, {}, collectIssues());
        const { bytes, excerpt } = await readDocument(context, budget);
        const [blob, passwordHash] = await Promise.all([
          storeBlob(blobs, blobKeys, bytes),
          hashPasswordOf(parameters),
        ]);
        const { input, ownerTokenOf } = completeCreate(deps, context, head, { ...parameters, passwordHash }, [
          'json',
          blob.sha256,
        ]);
        const { item, idempotencySalt } = await call(
          bus,
          documents.createJson,
          { ...input, blob, excerpt },
          context.callContext,
        );
        return createdResponse(
          context,
          'json',
          createdItem('json', item, ownerTokenOf({ idempotencySalt }), baseUrl),
          false,
        );
      },
      { limit: 'uploads', parse: 'none', detail: documented(operations.create) },
    )
    .get(
      '/:ns/:id',
      async ({ context, params }) => {
        return await answerRead(deps, context, 'json', params, ({ record, views }) =>
          respondWithDocument(deps, context, record, views),
        );
      },
      { detail: documented(operations.read) },
    )
    .put(
      '/:ns/:id',
      async ({ context, request, params }) => {
        const { owned } = await admitChange(deps, context, 'json', params);
        const ifMatch = readDocumentCondition(request);
        const { bytes, excerpt } = await readDocument(context, budget);
        const blob = await storeBlob(blobs, blobKeys, bytes);
        const input = { ...owned, blob, excerpt, ifMatch };
        const item = await call(bus, documents.updateJson, input, context.callContext);
        return Response.json(updatedItem('json', item, baseUrl), {
          headers: { ETag: `"${etagOf(item.content)}"` },
        });
      },
      { parse: 'none', detail: documented(operations.update) },
    )
    .delete(
      '/:ns/:id',
      async ({ context, request, params }) => {
        const { owned } = await admitChange(deps, context, 'json', params);
        const input = { ...owned, ifMatch: readDocumentCondition(request) };
        await call(bus, documents.removeJson, input, context.callContext);
        return new Response(null, { status: 204 });
      },
      { parse: 'none', detail: documented(operations.remove) },
    );
}
