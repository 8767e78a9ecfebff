import { Elysia } from 'elysia';
import * as pages from '../../../../shared/contracts/html.ts';
import { limited } from '../../admission/limited.ts';
import { answerRemoval } from '../../items/authorize.ts';
import type { ReadDependencies } from '../../items/dependencies.ts';
import { documented } from '../../openapi/documented.ts';
import { removal } from '../../openapi/item-operations.ts';

export const removeHtml = (deps: ReadDependencies) =>
  new Elysia()
    .use(limited(deps))
    .delete(
      '/api/html/:ns/:id',
      ({ context, params }) => answerRemoval(deps, context, 'html', params, pages.removeHtml),
      {
        parse: 'none',
        detail: documented(
          removal({
            operationId: 'removePage',
            summary: 'Delete a page',
            description: 'Frees the short URL. In `public` it answers 410 from then on, elsewhere 404.',
            tag: 'Pages',
            needs: 'page',
          }),
        ),
      },
    );
