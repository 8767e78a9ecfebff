import { type TSchema, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { callToRead } from '../../../../shared/contracts/call.ts';
import { describeItemViews, MAX_HISTORY_DAYS } from '../../../../shared/contracts/item-views.ts';
import { KINDS } from '../../../../shared/items/item.ts';
import { limited } from '../../admission/limited.ts';
import { requireOwner } from '../../auth/owner-token.ts';
import { parseCount } from '../../http/parameters.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { collectIssues } from '../../http/validation-issues.ts';
import { findOfAny } from '../../items/authorize.ts';
import type { ItemAddress } from '../../items/find-live-item.ts';
import { currentViews, instant } from '../../items/serializer.ts';
import { json, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { byOwner } from '../../openapi/item-operations.ts';
import type { Operation } from '../../openapi/operation.ts';
import { ITEM, OWNER, OWNER_ONLY, parameters } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';
import * as schemas from '../../openapi/schema-parts.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';

const DEFAULT_DAYS = 30;

const counted = (name: string, of: TSchema, description: string, bounds: object) =>
  Type.Array(Type.Object({ [name]: of, views: schemas.count('Views.') }, { additionalProperties: false }), {
    ...bounds,
    description,
  });

export const ITEM_STATS_SCHEMAS: Record<string, TSchema> = {
  ItemStats: schemas.answer('How often an item was viewed, for its owner. Without addresses of readers.', {
    ...schemas.NAME,
    type: Type.Unsafe({ type: 'string', enum: KINDS, description: "The item's kind." }),
    ...schemas.views,
    hours: counted(
      'at',
      schemas.instant('When the hour began.'),
      'The last 24 hours, oldest first; the last one is running.',
      { minItems: 24, maxItems: 24 },
    ),
    days: counted(
      'date',
      Type.String({ format: 'date', description: 'In UTC.' }),
      'Days, oldest first; the last one is running. None is older than the item, or than the server keeps its log.',
      { minItems: 1, maxItems: MAX_HISTORY_DAYS },
    ),
    referers: counted(
      'host',
      schemas.text('Host of the page that led here.'),
      'The twenty hosts that led most readers here on those days.',
      { maxItems: 20 },
    ),
    otherReferers: schemas.count('Views of those days from further hosts.'),
    withoutReferer: schemas.count('Views of those days whose client named no page it came from.'),
    timestamp: schemas.instant('When these numbers were read.'),
  }),
};

const hour = Date.parse('2026-11-21T07:00:00.000Z');

const OPERATION: Operation = {
  operationId: 'readItemStats',
  summary: "An item's views over time",
  description:
    'Views by the hour and by the day, and the hosts that readers came from, for the owner of an item of any kind. Counted with the access log, so some seconds late. Counts no view and asks for no password. In namespaces called `html`, `kv`, `json`, `files` or `sites` this address is that of an item, or key, `stats` of that kind.',
  tags: ['Owner'],
  security: OWNER_ONLY,
  parameters: parameters(...ITEM, 'HistoryDays', ...OWNER),
  responses: {
    '200': ok(
      'The views.',
      json('ItemStats', {
        stats: {
          namespace: 'public',
          id: 'Ab3dE6gH9k',
          type: 'html',
          views: 12,
          hours: Array.from({ length: 24 }, (_, n) => ({
            at: instant(hour - (23 - n) * 3_600_000),
            views: n === 23 ? 5 : 0,
          })),
          days: [
            { date: '2026-11-20', views: 7 },
            { date: '2026-11-21', views: 5 },
          ],
          referers: [{ host: 'example.com', views: 4 }],
          otherReferers: 0,
          withoutReferer: 8,
          timestamp: instant(hour + 1_261_000),
        },
      }),
      [['Cache-Control']],
    ),
    ...failures([
      ...([
        'VALIDATION_FAILED',
        'OWNER_TOKEN_REQUIRED',
        'OWNER_TOKEN_WRONG',
        'NOT_FOUND',
        'QUARANTINED',
        'RATE_LIMITED',
      ] as const),
    ]),
  },
  'x-example-requests': [
    { summary: 'The last 30 days', status: 200, ...byOwner('html') },
    { summary: 'A week of a store', status: 200, ...byOwner('kv'), query: { days: '7' } },
    { summary: 'Without a token', status: 403, needs: 'html' },
  ],
};

/** The view history of an item of any kind (specification 15.9). */
export function itemStatsRoutes(deps: UploadDependencies) {
  return new Elysia()
    .use(limited(deps))
    .get('/api/:ns/:id/stats', ({ context, params }) => answerItemStats(deps, context, params), {
      detail: documented(OPERATION),
    });
}

/** Answers with an item's views over time. @throws OWNER_TOKEN_REQUIRED, OWNER_TOKEN_WRONG */
async function answerItemStats(
  deps: UploadDependencies,
  context: RequestContext,
  address: ItemAddress,
): Promise<Response> {
  const record = await findOfAny(deps, context, address);
  requireOwner(context, record);
  const issues = collectIssues();
  const days = parseCount(context.query(), 'days', MAX_HISTORY_DAYS, issues) ?? DEFAULT_DAYS;
  issues.throwIfAny();
  const { namespace, id, kind, code, createdAt, savedViews = 0 } = record;
  const [found, [views = 0]] = await Promise.all([
    callToRead(deps.bus, describeItemViews, { code, createdAt, days }, context.callContext),
    currentViews(deps.cache, [{ namespace, id, views: savedViews }]),
  ]);
  const { at, hours, ...history } = found;
  return Response.json(
    {
      namespace,
      id,
      type: kind,
      views,
      hours: hours.map((hour) => ({ ...hour, at: instant(hour.at) })),
      ...history,
      timestamp: instant(at),
    },
    { headers: { 'Cache-Control': 'private, no-store' } },
  );
}
