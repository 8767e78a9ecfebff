import { Elysia } from 'elysia';
import * as sites from '../../../../shared/contracts/site.ts';
import { limited } from '../../admission/limited.ts';
import { answerRemoval } from '../../items/authorize.ts';
import type { ReadDependencies } from '../../items/dependencies.ts';
import { documented } from '../../openapi/documented.ts';
import { removal } from '../../openapi/item-operations.ts';

/** Removes a site with all its files (specification 8.5). */
export const removeSite = (deps: ReadDependencies) =>
  new Elysia()
    .use(limited(deps))
    .delete(
      '/api/sites/:ns/:id',
      ({ context, params }) => answerRemoval(deps, context, 'site', params, sites.removeSite),
      {
        parse: 'none',
        detail: documented(
          removal({
            operationId: 'removeSite',
            summary: 'Delete a site',
            description: 'With all its files.',
            tag: 'Sites',
            needs: 'site',
          }),
        ),
      },
    );
