import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import * as documents from '../../../../shared/contracts/json.ts';
import { etagOf } from '../../../../shared/items/etag.ts';
import { limited } from '../../admission/limited.ts';
import { documentIfMatchTags } from '../../http/conditional.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { admitChange } from '../../items/authorize.ts';
import type { ItemAddress } from '../../items/find-live-item.ts';
import { hostingFields } from '../../items/hosting.ts';
import { answerRemoval } from '../../items/removal.ts';
import { updatedItem } from '../../items/serializer.ts';
import { json, ok, REMOVED } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { byOwner } from '../../openapi/item-operations.ts';
import type { ExampleRequest } from '../../openapi/operation.ts';
import { ITEM, OWNER, OWNER_ONLY, parameters } from '../../openapi/parameters.ts';
import { failures, JSON_BODY_CODES, OWNER_CODES } from '../../openapi/responses.ts';
import { updatedSample } from '../../openapi/samples.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { storeBlob } from '../../uploads/store-blob.ts';
import { DOCUMENT, readDocument } from './create.ts';

/** Replaces a document, and removes one. */
export const changeJsonRoutes = (deps: UploadDependencies) =>
  new Elysia()
    .use(limited(deps))
    .put('/api/json/:ns/:id', ({ context, params }) => answerUpdateJson(deps, context, params), {
      parse: 'none',
      detail: documented({
        operationId: 'updateDocument',
        summary: 'Replace a document',
        description:
          'The address and the tags stay, the time to live is not renewed. With `If-Match` only the version that you have read is replaced.',
        tags: ['JSON'],
        security: OWNER_ONLY,
        parameters: parameters(...ITEM, ...OWNER, 'IfMatch', 'IfNoDocument'),
        requestBody: {
          required: true,
          content: json('AnyJson', { object: { ...DOCUMENT, launched: false } }),
        },
        responses: {
          '200': ok('It is replaced.', json('DocumentUpdated', { updated: updatedSample('json', 62) }), [
            [],
            ['ETag'],
          ]),
          ...failures([
            ...JSON_BODY_CODES,
            'TOO_LARGE',
            ...OWNER_CODES,
            'CONTENT_BLOCKED',
            'QUARANTINED',
            'PRECONDITION_FAILED',
          ]),
        },
        'x-example-requests': conditionalRequests(200, {
          body: { type: 'application/json', example: 'object' },
        }),
      }),
    })
    .delete('/api/json/:ns/:id', ({ context, params }) => answerRemoval(deps, context, 'json', params), {
      parse: 'none',
      detail: documented({
        operationId: 'removeDocument',
        summary: 'Delete a document',
        description:
          'Frees the short URL. In `public` it answers 410 from then on, elsewhere 404. With `If-Match` only the version that you have read is deleted.',
        tags: ['JSON'],
        security: OWNER_ONLY,
        parameters: parameters(...ITEM, ...OWNER, 'IfMatch', 'IfNoDocument'),
        responses: {
          '204': REMOVED,
          ...failures(['VALIDATION_FAILED', ...OWNER_CODES, 'QUARANTINED', 'PRECONDITION_FAILED']),
        },
        'x-example-requests': conditionalRequests(204),
      }),
    });

/** Replaces a document by the one that a request brings. */
export async function answerUpdateJson(
  deps: UploadDependencies,
  context: RequestContext,
  address: ItemAddress,
): Promise<Response> {
  const { owned } = await admitChange(deps, context, 'json', address);
  const ifMatch = documentIfMatchTags(context.request);
  const { bytes, excerpt } = await readDocument(context, deps.budget);
  const blob = await storeBlob(deps, bytes);
  const input = { ...owned, blob, excerpt, ifMatch };
  const item = await call(deps.bus, documents.updateJson, input, context.callContext);
  const headers = { ETag: `"${etagOf(item.content)}"` };
  const fields = { ...updatedItem('json', item, context.baseUrl), ...hostingFields(deps, context, item) };
  return Response.json(fields, { headers });
}

/** Example requests of a replacement or removal: without a condition, and with each. */
function conditionalRequests(status: number, body: Pick<ExampleRequest, 'body'> = {}): ExampleRequest[] {
  const { needs, headers } = byOwner('json');
  const request = (summary: string, expected: number, condition: Record<string, string>) => ({
    summary,
    status: expected,
    needs,
    headers: { ...headers, ...condition },
    ...body,
  });
  return [
    request('A document', status, {}),
    request('Only the version that was read', status, { 'If-Match': '{etag}' }),
    request('Another version than there is', 412, { 'If-Match': '"another"' }),
    request('Not if it is there', 412, { 'If-None-Match': '*' }),
  ];
}
