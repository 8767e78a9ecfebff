import { Elysia } from 'elysia';
import * as pages from '../../../../shared/contracts/html.ts';
import { limited } from '../../admission/limited.ts';
import type { ReadDependencies } from '../../items/dependencies.ts';
import { answerOwnerList } from '../../items/owner-list.ts';
import { listedItem } from '../../items/serializer.ts';
import { json } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { ownerList } from '../../openapi/item-operations.ts';
import { listedSample } from '../../openapi/samples.ts';
import { PAGE } from './samples.ts';

export const listHtml = (deps: ReadDependencies) =>
  new Elysia().use(limited(deps)).get(
    '/api/html',
    ({ context }) =>
      answerOwnerList(deps, context, pages.listHtml, (page, views) => ({
        ...listedItem('html', page, views, context.baseUrl),
        ...{ format: page.content.format, filename: page.content.filename, size: page.sizeBytes },
      })),
    {
      detail: documented(
        ownerList(
          {
            operationId: 'listPages',
            summary: 'List your pages',
            description: 'The pages that the owner token owns in a namespace.',
            tag: 'Pages',
            needs: 'page',
          },
          json('PageList', { pages: [{ ...listedSample, ...PAGE, size: 38 }], none: [] }),
        ),
      ),
    },
  );
