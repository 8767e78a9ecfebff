import { Elysia } from 'elysia';
import * as kv from '../../../../shared/contracts/kv.ts';
import { limited } from '../../admission/limited.ts';
import { answerRemoval } from '../../items/authorize.ts';
import type { ReadDependencies } from '../../items/dependencies.ts';
import { documented } from '../../openapi/documented.ts';
import { removal } from '../../openapi/item-operations.ts';

/** Removes a store with all its keys (specification 5.6). */
export const removeKv = (deps: ReadDependencies) =>
  new Elysia()
    .use(limited(deps))
    .delete(
      '/api/kv/:ns/:id',
      ({ context, params }) => answerRemoval(deps, context, 'kv', params, kv.removeKv),
      {
        parse: 'none',
        detail: documented(
          removal({
            operationId: 'removeStore',
            summary: 'Delete a store',
            description: 'With all its keys.',
            tag: 'KV',
            needs: 'store',
          }),
        ),
      },
    );
