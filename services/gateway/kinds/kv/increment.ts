import { Elysia } from 'elysia';
import type { ValueChange } from '../../../../shared/contracts/kv.ts';
import { errors } from '../../../../shared/errors.ts';
import { limited } from '../../admission/limited.ts';
import type { MemoryBudget } from '../../admission/memory-budget.ts';
import { readBody } from '../../admission/read-body.ts';
import { decodeJson, parseJsonObject } from '../../http/json-text.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { json } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { byOwner } from '../../openapi/item-operations.ts';
import { OWNER_ONLY } from '../../openapi/parameters.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { answerChange, CHANGE_PARAMETERS, changedSample, changeResponses } from './change.ts';

/** Adds to the number of a key (specification 5.7). */
export const incrementKey = (deps: UploadDependencies) =>
  new Elysia()
    .use(limited(deps))
    .post(
      '/api/kv/:ns/:id/:key/increment',
      ({ context, params }) => answerChange(deps, context, params, () => readIncrement(context, deps.budget)),
      {
        parse: 'none',
        detail: documented({
          operationId: 'incrementKey',
          summary: 'Add to a number',
          description:
            'Adds `by` to the whole number of a key, atomically: of many at once none is lost, and each gets the number that it made. A key that is not there begins at 0. Send an `Idempotency-Key` to repeat it safely.',
          tags: ['KV'],
          security: OWNER_ONLY,
          parameters: CHANGE_PARAMETERS,
          requestBody: {
            required: false,
            content: json('EntryIncrement', { one: {}, five: { by: 5 }, down: { by: -1 } }),
          },
          responses: changeResponses(
            'It is added.',
            json('EntryIncremented', { changed: { ...changedSample('visits', 2), value: 42 } }),
          ),
          'x-example-requests': [
            {
              ...{ summary: 'A counter', status: 200, ...byOwner('store'), path: { key: 'visits' } },
              body: { type: 'application/json', example: 'five' },
            },
            {
              ...{ summary: 'Not a number', status: 409, ...byOwner('store') },
              body: { type: 'application/json', example: 'one' },
            },
          ],
        }),
      },
    );

const BODY_BYTES = 65_536;

/** An empty body is an increment by 1. @throws JSON_INVALID, TOO_LARGE, VALIDATION_FAILED */
async function readIncrement(context: RequestContext, budget: MemoryBudget): Promise<ValueChange> {
  const limit = { bytes: BODY_BYTES, tooLarge: () => errors.tooLarge('The body', BODY_BYTES) };
  const bytes = await readBody(context, limit, budget);
  const { by = 1 } = bytes.length === 0 ? {} : parseJsonObject(decodeJson(bytes));
  if (typeof by === 'number' && Number.isSafeInteger(by)) return { kind: 'increment', by: by + 0 };
  throw errors.validationFailed([
    {
      field: 'by',
      message: `must be a whole number from -${Number.MAX_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}.`,
    },
  ]);
}
