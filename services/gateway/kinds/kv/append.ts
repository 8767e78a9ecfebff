import { Elysia } from 'elysia';
import type { ValueChange } from '../../../../shared/contracts/kv.ts';
import { limited } from '../../admission/limited.ts';
import type { MemoryBudget } from '../../admission/memory-budget.ts';
import { assertJsonDepth } from '../../http/json-depth.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { json } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { byOwner } from '../../openapi/item-operations.ts';
import { OWNER_ONLY } from '../../openapi/parameters.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { readKvBody, requireValue } from './body.ts';
import { answerChange, CHANGE_PARAMETERS, changedSample, changeResponses } from './change.ts';

/** Adds to the end of a key's text or list (specification 5.7). */
export const appendToKey = (deps: UploadDependencies) =>
  new Elysia()
    .use(limited(deps))
    .post(
      '/api/kv/:ns/:id/:key/append',
      ({ context, params }) => answerChange(deps, context, params, () => readAppend(context, deps.budget)),
      {
        parse: 'none',
        detail: documented({
          operationId: 'appendToKey',
          summary: 'Append to a text or a list',
          description:
            'To a text a text is appended; to a list any value becomes its last element. A key that is not there becomes a list with the value. Atomic: of many at once none is lost. Send an `Idempotency-Key` to repeat it safely.',
          tags: ['KV'],
          security: OWNER_ONLY,
          parameters: CHANGE_PARAMETERS,
          requestBody: {
            required: true,
            content: json('EntryWrite', { text: { value: ', again' }, object: { value: { step: 'built' } } }),
          },
          responses: changeResponses(
            'It is appended.',
            json('EntryWritten', { changed: changedSample('greeting', 12) }),
          ),
          'x-example-requests': [
            {
              ...{ summary: 'To a text', status: 200, ...byOwner('store') },
              body: { type: 'application/json', example: 'text' },
            },
            {
              ...{ summary: 'A new list', status: 200, ...byOwner('store'), path: { key: 'steps' } },
              body: { type: 'application/json', example: 'object' },
            },
          ],
        }),
      },
    );

/** @throws JSON_INVALID, also for a value that is nested as deep as a whole document may be; TOO_LARGE, VALIDATION_FAILED */
async function readAppend(context: RequestContext, budget: MemoryBudget): Promise<ValueChange> {
  const { value, sizeBytes } = requireValue(await readKvBody(context, budget));
  // As an element it lies one level deeper.
  if (value.startsWith('[') || value.startsWith('{')) assertJsonDepth(`[${value}`);
  return { kind: 'append', value, sizeBytes };
}
