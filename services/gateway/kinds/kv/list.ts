import { Elysia } from 'elysia';
import * as kv from '../../../../shared/contracts/kv.ts';
import { limited } from '../../admission/limited.ts';
import type { ReadDependencies } from '../../items/dependencies.ts';
import { answerOwnerList } from '../../items/owner-list.ts';
import { json } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { ownerList } from '../../openapi/item-operations.ts';
import { listedSample } from '../../openapi/samples.ts';
import { listedStore } from './serializer.ts';

/** Lists the stores of an owner (specification 5.6). */
export const listKv = (deps: ReadDependencies) =>
  new Elysia()
    .use(limited(deps))
    .get(
      '/api/kv',
      ({ context }) =>
        answerOwnerList(deps, context, kv.listKv, (store, views) =>
          listedStore(store, views, context.baseUrl),
        ),
      {
        detail: documented(
          ownerList(
            {
              operationId: 'listStores',
              summary: 'List your stores',
              description: 'The key-value stores that the owner token owns in a namespace.',
              tag: 'KV',
              needs: 'store',
            },
            json('StoreList', { stores: [{ ...listedSample, keyCount: 2 }], none: [] }),
          ),
        ),
      },
    );
