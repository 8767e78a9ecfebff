import { type TSchema, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { callToRead } from '../../../../shared/contracts/call.ts';
import { HISTORY_RANGES, type HistoryRange, readHistory } from '../../../../shared/contracts/stats.ts';
import { KINDS, type Kind } from '../../../../shared/items/item.ts';
import { limited } from '../../admission/limited.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { collectIssues } from '../../http/validation-issues.ts';
import { instant } from '../../items/serializer.ts';
import { json, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import type { Operation } from '../../openapi/operation.ts';
import { parameters } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';
import { SAMPLE } from '../../openapi/samples.ts';
import * as schemas from '../../openapi/schema-parts.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';

interface Figures {
  readonly created: number;
  readonly deleted: number;
  readonly views: number;
  readonly bytes: number;
}

interface Span extends Figures {
  /** ISO 8601. */
  readonly at: string;
  readonly kinds: ReadonlyArray<Figures & { readonly type: Kind }>;
}

/** The history of the service as clients get it (specification 14.2). */
export interface History {
  readonly range: HistoryRange;
  readonly spanSeconds: number;
  readonly spans: readonly Span[];
  readonly timestamp: string;
}

const FIGURES = {
  created: schemas.count('Items created.'),
  deleted: schemas.count('Items removed or expired.'),
  views: schemas.count('Views counted.'),
  bytes: schemas.count('Bytes stored at its end; of the running span now.'),
};

export const HISTORY_SCHEMAS: Record<string, TSchema> = {
  History: schemas.answer('What the service has done over time.', {
    range: Type.Unsafe({ type: 'string', enum: HISTORY_RANGES }),
    spanSeconds: Type.Unsafe({ type: 'integer', enum: [3_600, 21_600, 86_400], description: 'Of a span.' }),
    spans: Type.Array(
      schemas.answer('A span of time; the last one is running.', {
        at: schemas.instant('When it began: at a full hour, and at midnight UTC for days.'),
        ...FIGURES,
        kinds: Type.Array(
          schemas.answer('One of the five kinds.', {
            type: Type.Unsafe({ type: 'string', enum: KINDS }),
            ...FIGURES,
          }),
          { minItems: KINDS.length, maxItems: KINDS.length },
        ),
      }),
      { minItems: 24, maxItems: 30 },
    ),
    timestamp: schemas.instant('When these numbers were read.'),
  }),
};

const at = Date.parse(SAMPLE.createdAt);
const idle = { created: 0, deleted: 0, views: 0, bytes: 0 };

const EXAMPLE = historyShape('24h', {
  spanMs: 3_600_000,
  spans: Array.from({ length: 24 }, (_, n) => ({
    at: at - (at % 3_600_000) - (23 - n) * 3_600_000,
    kinds: KINDS.map((kind) =>
      n === 23 && kind === 'html'
        ? { kind, created: 3, deleted: 1, views: 40, bytes: 65_536 }
        : { kind, ...idle },
    ),
  })),
  at,
});

const READ_HISTORY: Operation = {
  operationId: 'readHistory',
  summary: 'Statistics over time',
  description:
    'What was created, removed, viewed and stored in the last day, week or month, in all and by kind.',
  tags: ['Service'],
  security: [],
  parameters: parameters('HistoryRange'),
  responses: {
    '200': ok('The history.', json('History', { history: EXAMPLE }), [['Cache-Control']]),
    ...failures(['VALIDATION_FAILED', 'RATE_LIMITED']),
  },
  'x-example-requests': [
    { summary: 'The last day', status: 200 },
    { summary: 'The last month', status: 200, query: { range: '30d' } },
  ],
};

/** Figures of the service over time (specification 14.2). */
export function historyRoutes(deps: UploadDependencies) {
  return new Elysia().use(limited(deps)).get(
    '/api/stats/history',
    async ({ context }) => {
      const history = await historyIn(deps, context, parseRange(context.query()));
      return Response.json(history, { headers: { 'Cache-Control': 'no-cache' } });
    },
    { limit: 'reads', detail: documented(READ_HISTORY) },
  );
}

/** The range that a query names. @throws VALIDATION_FAILED */
export function parseRange(query: URLSearchParams): HistoryRange {
  const text = query.get('range')?.trim() || '24h';
  const range = HISTORY_RANGES.find((known) => known === text);
  if (range !== undefined) return range;
  const issues = collectIssues();
  issues.add('range', `must be one of ${HISTORY_RANGES.join(', ')}.`);
  issues.throwIfAny();
  return '24h';
}

export async function historyIn(
  { bus }: Pick<UploadDependencies, 'bus'>,
  { callContext }: Pick<RequestContext, 'callContext'>,
  range: HistoryRange,
): Promise<History> {
  return historyShape(range, await callToRead(bus, readHistory, { range }, callContext));
}

type Reply = Awaited<ReturnType<typeof callToRead<typeof readHistory>>>;

function historyShape(range: HistoryRange, { spanMs, spans, at: readAt }: Reply): History {
  return {
    range,
    spanSeconds: spanMs / 1000,
    spans: spans.map(({ at: begin, kinds }) => {
      const sum = (figure: keyof Figures): number => kinds.reduce((total, one) => total + one[figure], 0);
      return {
        at: instant(begin),
        created: sum('created'),
        deleted: sum('deleted'),
        views: sum('views'),
        bytes: sum('bytes'),
        kinds: kinds.map(({ kind, ...figures }) => ({ type: kind, ...figures })),
      };
    }),
    timestamp: instant(readAt),
  };
}
