import { type TSchema, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import { ITEM_STATES, type ItemState } from '../../../../shared/contracts/publications.ts';
import * as reports from '../../../../shared/contracts/reports.ts';
import { KINDS } from '../../../../shared/items/item.ts';
import { itemNamed } from '../../items/find-live-item.ts';
import { instant as shownInstant } from '../../items/serializer.ts';
import { json, ok } from '../../openapi/answers.ts';
import { optionalText } from '../../openapi/create-fields.ts';
import { documented } from '../../openapi/documented.ts';
import { ITEM } from '../../openapi/parameters.ts';
import { JSON_BODY_CODES } from '../../openapi/responses.ts';
import { SAMPLE } from '../../openapi/samples.ts';
import { answer, count, instant, list, NAME } from '../../openapi/schema-parts.ts';
import { CHARACTERS } from '../../openapi/text-patterns.ts';
import { type AdminDependencies, admitted, NO_STORE } from './admitted.ts';
import { answerList, parseListQuery } from './list-page.ts';
import { operatorOperation } from './operation.ts';
import { createOperatorActions } from './operator-actions.ts';
import { NOTE_CHARACTERS, parseReportStatus, readItemReview } from './review-input.ts';

const PAGE = { default: 50, max: reports.REPORTED_ITEMS_PER_PAGE, id: null };

/** Schemas of items that have been reported, as the operator sees them. */
export const REPORTED_ITEM_SCHEMAS: Record<string, TSchema> = {
  ReportedItem: answer('An item that has been reported, and what its reports come to.', {
    ...NAME,
    type: Type.Unsafe({
      enum: [...KINDS, 'unknown'],
      description:
        'Kind of the item now, else of the one that was reported last; unknown when there was none.',
    }),
    state: Type.Unsafe({
      type: 'string',
      enum: [...ITEM_STATES, 'gone'],
      description: 'Whether it can be read; `gone` when there is no item at this address.',
    }),
    reports: count('Reports in all.'),
    newReports: count('Those that nobody has reviewed.'),
    reporters: count(
      'Independent senders: a /24 of IPv4 or a /48 of IPv6 counts once, that of the owner does not.',
    ),
    categories: Type.Record(Type.String(), Type.Integer({ minimum: 1 }), {
      description: 'How many there are of each category.',
    }),
    firstReceivedAt: instant('When the first report arrived.'),
    lastReceivedAt: instant('When the last report arrived.'),
  }),
  ReportedItemList: list('ReportedItem', 'Items with reports, those that were reported last first.'),
  ReportedItemReview: Type.Object(
    {
      status: Type.Unsafe({
        type: 'string',
        enum: ['reviewed', 'dismissed', 'actioned'],
        description: 'What all new reports of the item become.',
      }),
      reviewerNote: optionalText({
        maxLength: NOTE_CHARACTERS,
        pattern: CHARACTERS.storable,
        description: 'Of each of them; left out: their notes stay.',
      }),
      until: Type.Optional(
        instant(
          '`lastReceivedAt` of the item as the reviewer has seen it: reports that arrived later stay new.',
        ),
      ),
    },
    { required: ['status'], description: 'What becomes of the new reports of an item.' },
  ),
  ReportedItemReviewed: answer('How far a review of an item went.', {
    reviewed: count('Reports that it has reviewed.'),
    left: count('New ones, up to `until`, that are left: send it again.'),
  }),
};

const LIST = operatorOperation({
  operationId: 'listReportedItems',
  summary: 'Reported items',
  description:
    'Reports grouped by the item that they are about, those that were reported last first. Reports that name no item are in the list of reports alone.',
  parameters: ['ReportedStatus', 'ReportedItemsLimit', 'ListOffset'],
  responses: {
    '200': ok(
      'A part of the list.',
      json('ReportedItemList', {
        page: [
          {
            namespace: 'public',
            id: 'Ab3dE6gH9k',
            type: 'html',
            state: 'live',
            reports: 3,
            newReports: 2,
            reporters: 2,
            categories: { phishing: 2, spam: 1 },
            firstReceivedAt: SAMPLE.createdAt,
            lastReceivedAt: SAMPLE.updatedAt,
          },
        ],
      }),
      [['Cache-Control', 'X-Total-Count']],
    ),
  },
  errors: ['VALIDATION_FAILED'],
  'x-example-requests': [
    {
      summary: 'Those with new reports',
      status: 200,
      query: { status: 'new', limit: '10', offset: '0' },
    },
    { summary: 'Without the password', status: 401 },
  ],
});

const REVIEW = operatorOperation({
  operationId: 'reviewReportedItem',
  summary: 'Review all new reports of an item',
  description: `Up to ${reports.REPORTS_PER_REVIEW} at once, the oldest first. Of an item that is gone, too.`,
  parameters: ITEM,
  requestBody: {
    required: true,
    content: json('ReportedItemReview', {
      dismissal: { status: 'dismissed' },
      action: { status: 'actioned', reviewerNote: 'Taken down.' },
    }),
  },
  responses: {
    '200': ok('How far it went.', json('ReportedItemReviewed', { all: { reviewed: 2, left: 0 } }), [
      ['Cache-Control'],
    ]),
  },
  errors: [...JSON_BODY_CODES, 'NOT_FOUND'],
  'x-example-requests': (['dismissal', 'action'] as const).map((example) => ({
    summary: `With the body "${example}"`,
    status: 200,
    needs: 'html',
    body: { type: 'application/json', example },
  })),
});

/** Reports by item, as the operator reviews them (specification 18.2). */
export function reportedItemRoutes(deps: AdminDependencies) {
  const { bus, budget } = deps;
  const actions = createOperatorActions(deps);
  return new Elysia()
    .use(admitted(deps))
    .get(
      '/api/admin/reported-items',
      async ({ context }) => {
        const { page, filter: status } = parseListQuery(context.query(), PAGE, (query, issues) =>
          parseReportStatus(query.get('status')?.trim() || null, issues),
        );
        const input = { status, offset: page.offset, limit: page.limit };
        const { items, total } = await call(bus, reports.listReportedItems, input, context.callContext);
        return answerList(items.map(shown), { count: total });
      },
      { detail: documented(LIST, 'operator') },
    )
    .patch(
      '/api/admin/reported-items/:ns/:id',
      async ({ context, operator, params }) => {
        const item = itemNamed(params);
        const review = await readItemReview(context, budget);
        const done = await actions.reviewItem({ context, operator }, { ...item, ...review });
        return Response.json(done, { headers: NO_STORE });
      },
      { parse: 'none', detail: documented(REVIEW, 'operator') },
    );
}

/** Whether a reported item can be read. */
export const stateOf = ({
  state,
  quarantined,
}: Pick<reports.ReportedItem, 'state' | 'quarantined'>): ItemState | 'gone' =>
  quarantined ? 'quarantined' : state;

const shown = ({ firstReceivedAt, lastReceivedAt, ...item }: reports.ReportedItem) => ({
  namespace: item.namespace,
  id: item.id,
  type: item.kind,
  state: stateOf(item),
  reports: item.reports,
  newReports: item.newReports,
  reporters: item.reporters,
  categories: item.categories,
  firstReceivedAt: shownInstant(firstReceivedAt),
  lastReceivedAt: shownInstant(lastReceivedAt),
});
