import { Elysia } from 'elysia';
import * as files from '../../../../shared/contracts/files.ts';
import { limited } from '../../admission/limited.ts';
import { answerRemoval } from '../../items/authorize.ts';
import type { ReadDependencies } from '../../items/dependencies.ts';
import { documented } from '../../openapi/documented.ts';
import { removal } from '../../openapi/item-operations.ts';

/** Removes a file (specification 7.4). */
export const removeFile = (deps: ReadDependencies) =>
  new Elysia()
    .use(limited(deps))
    .delete(
      '/api/files/:ns/:id',
      ({ context, params }) => answerRemoval(deps, context, 'file', params, files.removeFile),
      {
        parse: 'none',
        detail: documented(
          removal({
            operationId: 'removeFile',
            summary: 'Delete a file',
            description: 'Frees the short URL. In `public` it answers 410 from then on, elsewhere 404.',
            tag: 'Files',
            needs: 'file',
          }),
        ),
      },
    );
