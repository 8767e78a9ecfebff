import { Elysia } from 'elysia';
import * as documents from '../../../../shared/contracts/json.ts';
import { limited } from '../../admission/limited.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { answerRead } from '../../items/authorize.ts';
import type { ReadDependencies } from '../../items/dependencies.ts';
import type { ItemAddress } from '../../items/find-live-item.ts';
import { answerOwnerList } from '../../items/owner-list.ts';
import { listedItem } from '../../items/serializer.ts';
import { json, notModified, served } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { ownerList } from '../../openapi/item-operations.ts';
import { CONDITIONS, ITEM, MAY_NEED_PASSWORD, parameters, READER } from '../../openapi/parameters.ts';
import { failures, READER_CODES } from '../../openapi/responses.ts';
import { listedSample } from '../../openapi/samples.ts';
import { DOCUMENT } from './create.ts';
import { respondWithDocument } from './respond.ts';

/** Lists the documents of an owner, and reads one. */
export const readJsonRoutes = (deps: ReadDependencies) =>
  new Elysia()
    .use(limited(deps))
    .get(
      '/api/json',
      ({ context }) =>
        answerOwnerList(deps, context, documents.listJson, (document, views) => ({
          ...listedItem('json', document, views, context.baseUrl),
          content: document.excerpt ?? '',
          size: document.sizeBytes,
        })),
      {
        detail: documented(
          ownerList(
            {
              operationId: 'listDocuments',
              summary: 'List your documents',
              description:
                'The JSON documents that the owner token owns in a namespace, each with the beginning of its text.',
              tag: 'JSON',
              needs: 'json',
            },
            json('DocumentList', {
              documents: [{ ...listedSample, content: JSON.stringify(DOCUMENT), size: 62 }],
              none: [],
            }),
          ),
        ),
      },
    )
    .get('/api/json/:ns/:id', ({ context, params }) => answerReadJson(deps, context, params), {
      detail: documented({
        operationId: 'readDocument',
        summary: 'Read a document',
        description: 'Byte for byte as it was sent. Does not count a view.',
        tags: ['JSON'],
        security: MAY_NEED_PASSWORD,
        parameters: parameters(...ITEM, ...READER, 'Download', ...CONDITIONS),
        responses: {
          '200': served('The document.', json('AnyJson', { object: DOCUMENT }), ['ETag']),
          ...notModified(),
          ...failures([...READER_CODES, 'QUARANTINED', 'PRECONDITION_FAILED']),
        },
        'x-example-requests': [
          { summary: 'A document', status: 200, needs: 'json' },
          { summary: 'Unchanged', status: 304, needs: 'json', headers: { 'If-None-Match': '{etag}' } },
        ],
      }),
    });

/** Answers with a document that the request may read. */
export const answerReadJson = (
  deps: ReadDependencies,
  context: RequestContext,
  address: ItemAddress,
): Promise<Response> =>
  answerRead(deps, context, 'json', address, ({ record, views }) =>
    respondWithDocument(deps, context, record, views),
  );
