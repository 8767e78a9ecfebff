import { Elysia } from 'elysia';
import * as kv from '../../../../shared/contracts/kv.ts';
import { limited } from '../../admission/limited.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { admitRead } from '../../items/authorize.ts';
import { cacheControl } from '../../items/content-headers.ts';
import type { ItemAddress } from '../../items/find-live-item.ts';
import { answerOwnerList } from '../../items/owner-list.ts';
import { answerRemoval } from '../../items/removal.ts';
import { heldJson } from '../../items/response-memory.ts';
import { json, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { ownerList, removal } from '../../openapi/item-operations.ts';
import { ITEM, MAY_NEED_PASSWORD, parameters, READER } from '../../openapi/parameters.ts';
import { failures, READER_CODES } from '../../openapi/responses.ts';
import { listedSample, SAMPLE } from '../../openapi/samples.ts';
import type { StoreDependencies } from './dependencies.ts';
import { listedStore, storeListing } from './serializer.ts';

/** Lists the stores of an owner, reads the names of the keys of one, and removes one with all its keys (specification 5.6). */
export const storeRoutes = (deps: StoreDependencies) =>
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
              needs: 'kv',
            },
            json('StoreList', { stores: [{ ...listedSample, keyCount: 2 }], none: [] }),
          ),
        ),
      },
    )
    .get('/api/kv/:ns/:id', ({ context, params }) => answerReadKv(deps, context, params), {
      detail: documented({
        operationId: 'readStore',
        summary: 'Read what keys a store has',
        description: 'The keys with their sizes, without their values. Does not count a view.',
        tags: ['KV'],
        security: MAY_NEED_PASSWORD,
        parameters: parameters(...ITEM, ...READER),
        responses: {
          '200': ok(
            'The keys.',
            json('Store', {
              store: {
                ...SAMPLE.name,
                keys: ['greeting'],
                count: 1,
                entries: [{ key: 'greeting', sizeBytes: 5, updatedAt: SAMPLE.updatedAt }],
                createdAt: SAMPLE.createdAt,
                expiresAt: SAMPLE.expiresAt,
                views: 12,
              },
            }),
            [['Cache-Control']],
          ),
          ...failures(READER_CODES),
        },
        'x-example-requests': [{ summary: 'A store', status: 200, needs: 'kv' }],
      }),
    })
    .delete('/api/kv/:ns/:id', ({ context, params }) => answerRemoval(deps, context, 'kv', params), {
      parse: 'none',
      detail: documented(
        removal({
          operationId: 'removeStore',
          summary: 'Delete a store',
          description: 'With all its keys.',
          tag: 'KV',
          needs: 'kv',
        }),
      ),
    });

/** Answers with the names of a store's keys. */
export async function answerReadKv(
  deps: StoreDependencies,
  context: RequestContext,
  address: ItemAddress,
): Promise<Response> {
  const { record, views } = await admitRead(deps, context, 'kv', address);
  const listed = await deps.storeEntries.list(record, 0, context.callContext);
  const listing = storeListing(record, listed, views);
  return heldJson(deps.responseMemory, context, listing, cacheControl(record));
}
