import { type TSchema, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { callToRead } from '../../../../shared/contracts/call.ts';
import { readStats } from '../../../../shared/contracts/stats.ts';
import { errors } from '../../../../shared/errors.ts';
import { KINDS } from '../../../../shared/items/item.ts';
import { limited } from '../../admission/limited.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { json, ok, redirect } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import type { Operation } from '../../openapi/operation.ts';
import { parameters } from '../../openapi/parameters.ts';
import { failures, ownPage } from '../../openapi/responses.ts';
import { SAMPLE } from '../../openapi/samples.ts';
import { answer, count, instant } from '../../openapi/schema-parts.ts';
import { servicePage } from '../../pages/service-page.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { historyIn, parseRange } from './history.ts';
import { type Stats, statsShape } from './serializer.ts';
import { statsPage } from './stats-page.ts';

/** Fields of a number: in all, of listed items, and of all others. */
const split = (name: string, description: string): Record<string, TSchema> => ({
  [name]: count(description),
  [`${name}Public`]: count('Of it: in `public`, without a password.'),
  [`${name}Private`]: count('Of it: all others.'),
});

export const STATS_SCHEMAS: Record<string, TSchema> = {
  Stats: answer('What the service has done so far. Totals stay when items expire.', {
    ...split('totalCreated', 'Items ever created.'),
    ...split('createdToday', 'Items created since midnight.'),
    ...split('totalViews', 'Views ever counted, of items that are gone, too; some seconds late.'),
    ...split('viewsToday', 'Views counted since midnight.'),
    ...split('totalDeleted', 'Items that were removed or have expired.'),
    ...split('deletedToday', 'Items removed or expired since midnight.'),
    activeItems: count('Items there are now.'),
    storedBytes: count('Bytes of their content.'),
    breakdown: Type.Array(
      answer('One of the five kinds.', {
        type: Type.Unsafe({ type: 'string', enum: KINDS }),
        ...split('total', 'Items ever created.'),
        ...split('today', 'Items created since midnight.'),
        active: count('Items there are now.'),
        ...split('deleted', 'Items that were removed or have expired.'),
        ...split('deletedToday', 'Items removed or expired since midnight.'),
        ...split('totalDeleted', 'As `deleted`.'),
        ...split('todayDeleted', 'As `deletedToday`.'),
        ...split('views', 'Views ever counted.'),
        ...split('viewsToday', 'Views counted since midnight.'),
        bytes: count('Bytes of their content.'),
      }),
      { minItems: KINDS.length, maxItems: KINDS.length },
    ),
    timestamp: instant('When these numbers were read.'),
  }),
};

const EXAMPLE = statsShape({
  totals: [
    {
      kind: 'html',
      public: true,
      bytes: 65_536,
      created: 12,
      createdToday: 3,
      deleted: 4,
      deletedToday: 1,
      views: 250,
      viewsToday: 40,
    },
    {
      kind: 'file',
      public: false,
      bytes: 1_048_576,
      created: 2,
      createdToday: 0,
      deleted: 0,
      deletedToday: 0,
      views: 17,
      viewsToday: 2,
    },
  ],
  at: Date.parse(SAMPLE.createdAt),
});

const READ_STATS: Operation = {
  operationId: 'readStats',
  summary: 'Statistics of the service',
  description: 'Cheap enough to poll: the numbers are renewed once a second.',
  tags: ['Service'],
  security: [],
  parameters: parameters('TimeZone'),
  responses: {
    '200': ok('The numbers.', json('Stats', { stats: EXAMPLE }), [['Cache-Control']]),
    ...failures(['VALIDATION_FAILED', 'RATE_LIMITED']),
  },
  'x-example-requests': [
    { summary: 'With days of UTC', status: 200 },
    { summary: 'With days of Berlin', status: 200, query: { tz: 'Europe/Berlin' } },
    { summary: 'A time zone that there is not', status: 400, query: { tz: 'Europe/Atlantis' } },
  ],
};

const SHOW_STATS: Operation = {
  operationId: 'showStats',
  summary: 'Statistics for people',
  description: 'A page that keeps itself fresh.',
  tags: ['Service'],
  security: [],
  parameters: parameters('HistoryRange'),
  responses: {
    '200': ownPage('The page.', 'Statistics · Perch'),
    '302': redirect('To the host that has this page.'),
    ...failures(['VALIDATION_FAILED', 'RATE_LIMITED'], { page: true }),
  },
  'x-example-requests': [
    { summary: 'The page', status: 200 },
    { summary: 'With charts of a month', status: 200, query: { range: '30d' } },
  ],
};

/** Figures of all that the service has done so far (specification 14.1). */
export function statsRoutes(deps: UploadDependencies) {
  return new Elysia()
    .use(limited(deps))
    .get('/api/stats', ({ context }) => answerStats(deps, context), {
      limit: 'reads',
      detail: documented(READ_STATS),
    })
    .get(
      '/stats',
      async ({ context }) => {
        const { baseUrl, language } = context;
        const range = parseRange(context.query());
        const [stats, history] = await Promise.all([
          statsIn(deps, context, 'UTC'),
          historyIn(deps, context, range),
        ]);
        return servicePage(context, statsPage(stats, history, baseUrl, language));
      },
      { limit: 'reads', detail: documented(SHOW_STATS, 'page') },
    );
}

/** Answers with the figures; those of today by the time zone that the query names. */
export async function answerStats(deps: UploadDependencies, context: RequestContext): Promise<Response> {
  const stats = await statsIn(deps, context, context.query().get('tz')?.trim() || 'UTC');
  return Response.json(stats, { headers: { 'Cache-Control': 'no-cache' } });
}

async function statsIn(
  { bus, clock }: UploadDependencies,
  { callContext }: RequestContext,
  timeZone: string,
): Promise<Stats> {
  const todayFrom = startOfDay(clock.now(), timeZone);
  return statsShape(await callToRead(bus, readStats, { todayFrom }, callContext));
}

/** A name of the IANA database such as `America/Port-au-Prince`; offsets such as `+02:00` are none. */
const NAME = /^[a-z][\w+-]*(?:\/[\w+-]+)*$/i;
const MAX_CHARACTERS = 100;

/**
 * When the current day began in a time zone (both moments in ms since the epoch): where clocks skip midnight, it is the
 * first moment of the day. @throws VALIDATION_FAILED when there is no such time zone
 */
export function startOfDay(now: number, timeZone: string): number {
  const unknown = () =>
    errors.validationFailed([
      { field: 'tz', message: 'must be the name of a time zone such as Europe/Berlin. Default UTC.' },
    ]);
  if (timeZone.length > MAX_CHARACTERS || !NAME.test(timeZone)) throw unknown();
  try {
    return Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone).startOfDay()
      .epochMilliseconds;
  } catch (error) {
    if (error instanceof RangeError) throw unknown();
    throw error;
  }
}
