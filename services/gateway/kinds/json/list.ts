import { Elysia } from 'elysia';
import * as documents from '../../../../shared/contracts/json.ts';
import { limited } from '../../admission/limited.ts';
import type { ReadDependencies } from '../../items/dependencies.ts';
import { answerOwnerList } from '../../items/owner-list.ts';
import { listedItem } from '../../items/serializer.ts';
import { json } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { ownerList } from '../../openapi/item-operations.ts';
import { listedSample } from '../../openapi/samples.ts';
import { DOCUMENT } from './input.ts';

export const listJson = (deps: ReadDependencies) =>
  new Elysia().use(limited(deps)).get(
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
            needs: 'document',
          },
          json('DocumentList', {
            documents: [{ ...listedSample, content: JSON.stringify(DOCUMENT), size: 62 }],
            none: [],
          }),
        ),
      ),
    },
  );
