import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { LIMITS } from '../../../../shared/items/item.ts';
import { limited } from '../../admission/limited.ts';
import { PASSWORD_ATTEMPTS } from '../../auth/passwords.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { MAX_WAIT_SECONDS } from '../../live/follow-request.ts';
import { ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import type { Operation } from '../../openapi/operation.ts';
import { parameters } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';
import { nullable } from '../../openapi/schema-parts.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });

const Window = Type.Object(
  {
    name: Type.Unsafe({ type: 'string', enum: ['uploads', 'reads', 'changes', 'tokens', 'previews'] }),
    counted: Type.String({ description: 'What is counted, in words.' }),
    limit: nullable('integer', 'Requests in a window; null: this server does not limit them.'),
    windowSeconds: count('How long a window is.'),
    used: count('Requests of your address in the window so far.'),
    remaining: nullable('integer', 'Requests left in the window; null without a limit.'),
    resetSeconds: count('Until the window ends; its whole length while none is open.'),
  },
  { additionalProperties: false },
);

export const LimitsSchema = Type.Object(
  {
    windows: Type.Array(Window, { minItems: 5, maxItems: 5 }),
    wrongPasswords: Type.Object(
      { limit: count('Wrong passwords for one item.'), windowSeconds: count('How long they count.') },
      { additionalProperties: false },
    ),
    sizes: Type.Record(Type.String(), Type.Integer({ minimum: 1 }), {
      description: 'Most bytes, characters and items, by name.',
    }),
    watchers: Type.Object(
      {
        limit: nullable(
          'integer',
          'Values that your address may follow at once on a gateway; null: no limit.',
        ),
        waitSeconds: count('Longest `wait` of a read.'),
      },
      { additionalProperties: false },
    ),
    ttlDays: Type.Object(
      { min: Type.Integer(), max: Type.Integer(), default: Type.Integer() },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false },
);

const example = { windowSeconds: 3_600, used: 2, remaining: 58, resetSeconds: 3_210 };

const readLimits: Operation = {
  operationId: 'readLimits',
  summary: 'All limits, and where you stand',
  description:
    'Every limit and window that this server has in force, and where your address stands in each window. It is a read, and counts as one.',
  tags: ['Service'],
  security: [],
  parameters: parameters(),
  responses: {
    '200': ok(
      'The limits.',
      {
        'application/json': {
          schema: LimitsSchema,
          examples: {
            limits: {
              value: {
                windows: [
                  { name: 'uploads', counted: 'creates', limit: 60, ...example },
                  { name: 'reads', counted: 'reads', limit: 300, ...example, remaining: 298 },
                  { name: 'changes', counted: 'changes', limit: null, ...example, remaining: null },
                  {
                    name: 'tokens',
                    counted: 'new owner tokens by GET',
                    limit: 60,
                    ...example,
                    windowSeconds: 60,
                    resetSeconds: 21,
                  },
                  {
                    name: 'previews',
                    counted: 'previews',
                    limit: 120,
                    windowSeconds: 60,
                    used: 3,
                    remaining: 117,
                    resetSeconds: 40,
                  },
                ],
                wrongPasswords: { limit: 10, windowSeconds: 900 },
                sizes: { htmlBytes: 5_242_880, kvKeys: 1_000 },
                ttlDays: { min: 1, max: 30, default: 15 },
                watchers: { limit: 100, waitSeconds: 30 },
              },
            },
          },
        },
      },
      [['Cache-Control']],
    ),
    ...failures(['RATE_LIMITED']),
  },
  'x-example-requests': [{ summary: 'The limits', status: 200 }],
};

/** Routes of GET /api/limits (specification 21.4). */
export const limitRoutes = (deps: UploadDependencies) =>
  new Elysia().use(limited(deps)).get('/api/limits', ({ context }) => answerLimits(deps, context), {
    limit: 'reads',
    detail: documented(readLimits),
  });

/** Answers with every limit, and where the client stands in each window. */
export async function answerLimits(
  { limits, config }: UploadDependencies,
  context: RequestContext,
): Promise<Response> {
  const { ttlDaysMin, ttlDaysMax, ttlDaysDefault, ...sizes } = LIMITS;
  const body = {
    windows: await limits.windowsOf(context),
    wrongPasswords: { limit: PASSWORD_ATTEMPTS.limit, windowSeconds: PASSWORD_ATTEMPTS.seconds },
    sizes: { ...sizes, siteBytes: config.siteMaxBytes },
    ttlDays: { min: ttlDaysMin, max: ttlDaysMax, default: ttlDaysDefault },
    watchers: {
      limit: config.watchersPerClient === 0 ? null : config.watchersPerClient,
      waitSeconds: MAX_WAIT_SECONDS,
    },
  };
  return Response.json(body, { headers: { 'Cache-Control': 'private, no-store' } });
}
