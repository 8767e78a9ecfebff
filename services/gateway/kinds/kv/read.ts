import { Elysia } from 'elysia';
import { limited } from '../../admission/limited.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { admitRead } from '../../items/authorize.ts';
import { cacheControl } from '../../items/content-headers.ts';
import type { ReadDependencies } from '../../items/dependencies.ts';
import type { ItemAddress } from '../../items/find-live-item.ts';
import { heldJson } from '../../items/held-answers.ts';
import { json, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { ITEM, MAY_NEED_PASSWORD, parameters, READER } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';
import { SAMPLE } from '../../openapi/samples.ts';
import { createStoreEntries } from './entries.ts';
import { storeListing } from './serializer.ts';

/** Reads the names of a store's keys (specification 5.6). */
export const readKv = (deps: ReadDependencies) =>
  new Elysia()
    .use(limited(deps))
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
                ...{ ...SAMPLE.name, keys: ['greeting'], count: 1 },
                entries: [{ key: 'greeting', sizeBytes: 5, updatedAt: SAMPLE.updatedAt }],
                ...{ createdAt: SAMPLE.createdAt, expiresAt: SAMPLE.expiresAt, views: 12 },
              },
            }),
            [['Cache-Control']],
          ),
          ...failures(['PASSWORD_REQUIRED', 'PASSWORD_WRONG', 'NOT_FOUND', 'RATE_LIMITED']),
        },
        'x-example-requests': [{ summary: 'A store', status: 200, needs: 'store' }],
      }),
    });

/** Answers with the names of a store's keys. */
export async function answerReadKv(
  deps: ReadDependencies,
  context: RequestContext,
  address: ItemAddress,
): Promise<Response> {
  const { record, views } = await admitRead(deps, context, 'kv', address);
  const listed = await createStoreEntries(deps.bus).list(record, 0, context.callContext);
  const listing = storeListing(record, listed, views);
  return await heldJson(deps.heldAnswers, context, listing, cacheControl(record));
}
