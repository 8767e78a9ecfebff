import type { Static } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import * as documents from '../../../../shared/contracts/documents.ts';
import { etagOf } from '../../../../shared/items/etag.ts';
import { exchangeOf } from '../../http/request-context.ts';
import { collectFaults } from '../../http/validation-issues.ts';
import { admitChange, answerRead } from '../../items/authorize.ts';
import { answerOwnerList } from '../../items/owner-list.ts';
import { createdItem, listedItem, updatedItem } from '../../items/serializer.ts';
import { completeCreate, hashPasswordOf, openCreate, parseCreate } from '../../uploads/create-request.ts';
import { createdResponse } from '../../uploads/created-response.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { storeBlob } from '../../uploads/store-blob.ts';
import { readDocumentCondition } from './conditions.ts';
import { readDocument } from './input.ts';
import { respondWithDocument } from './respond.ts';

type Document = Static<typeof documents.DocumentItem>;

/** JSON documents (specification, chapter 6). */
export function jsonRoutes(deps: UploadDependencies) {
  const { bus, limits, budget, blobs, blobKeys } = deps;
  const { baseUrl } = deps.config;
  const raw = { parse: 'none' } as const;

  const listed = (document: Document, views: number) => ({
    ...listedItem('json', document, views, baseUrl),
    content: document.excerpt ?? '',
    size: document.sizeBytes,
  });

  return new Elysia({ prefix: '/api/json' })
    .get('/', ({ request }) => answerOwnerList(deps, exchangeOf(request), documents.listDocuments, listed))
    .post(
      '/',
      async ({ request }) => {
        const exchange = exchangeOf(request);
        await limits.admit(exchange, 'uploads');
        const head = openCreate(exchange);
        const parameters = parseCreate(exchange, {}, collectFaults());
        const { bytes, excerpt } = await readDocument(exchange, budget);
        const [blob, passwordHash] = await Promise.all([
          storeBlob(blobs, blobKeys, bytes),
          hashPasswordOf(parameters),
        ]);
        const { input, ownerTokenOf } = completeCreate(
          deps,
          exchange,
          head,
          { ...parameters, passwordHash },
          ['json', blob.sha256],
        );
        const { item, receiptSalt } = await call(
          bus,
          documents.createDocument,
          { ...input, blob, excerpt },
          exchange.context,
        );
        return createdResponse(
          exchange,
          'json',
          createdItem('json', item, ownerTokenOf({ receiptSalt }), baseUrl),
          false,
        );
      },
      raw,
    )
    .get('/:ns/:id', async ({ request, params }) => {
      const exchange = exchangeOf(request);
      return await answerRead(deps, exchange, 'json', params, ({ route, views }) =>
        respondWithDocument(deps, exchange, route, views),
      );
    })
    .put(
      '/:ns/:id',
      async ({ request, params }) => {
        const exchange = exchangeOf(request);
        const { owned } = await admitChange(deps, exchange, 'json', params);
        const ifMatch = readDocumentCondition(request);
        const { bytes, excerpt } = await readDocument(exchange, budget);
        const blob = await storeBlob(blobs, blobKeys, bytes);
        const input = { ...owned, blob, excerpt, ifMatch };
        const item = await call(bus, documents.updateDocument, input, exchange.context);
        return Response.json(updatedItem('json', item, baseUrl), {
          headers: { ETag: `"${etagOf(item.content)}"` },
        });
      },
      raw,
    )
    .delete(
      '/:ns/:id',
      async ({ request, params }) => {
        const exchange = exchangeOf(request);
        const { owned } = await admitChange(deps, exchange, 'json', params);
        const input = { ...owned, ifMatch: readDocumentCondition(request) };
        await call(bus, documents.removeDocument, input, exchange.context);
        return new Response(null, { status: 204 });
      },
      raw,
    );
}
