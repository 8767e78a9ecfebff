import { type TSchema, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import * as notifications from '../../../../shared/contracts/notifications.ts';
import { errors } from '../../../../shared/errors.ts';
import type { ValidationIssues } from '../../http/validation-issues.ts';
import { instant as shownInstant } from '../../items/serializer.ts';
import { json, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { SAMPLE } from '../../openapi/samples.ts';
import { answer, count, instant, list, nullable, text } from '../../openapi/schema-parts.ts';
import { type AdminDependencies, admitted } from './admitted.ts';
import { answerList, parseListQuery, parseOneOf } from './list-page.ts';
import { operatorOperation } from './operation.ts';

const PAGE = { default: 50, max: notifications.NOTIFICATIONS_PER_PAGE, id: null };

/** Schemas of messages to the operator. */
export const NOTIFICATION_SCHEMAS: Record<string, TSchema> = {
  Notification: answer('A message to the operator by webhook or e-mail.', {
    id: text('As `webhook-id` has it, or the beginning of a Message-ID.'),
    channel: Type.Unsafe({ type: 'string', enum: ['webhook', 'email'] }),
    type: text('What it is about, such as `report.created`.'),
    state: Type.Unsafe({
      type: 'string',
      enum: notifications.NOTIFICATION_STATES,
      description: '`dead`: given up.',
    }),
    attempts: count('How often it was tried.'),
    createdAt: instant('When it was left to be sent.'),
    dueAt: instant('When it is tried next.'),
    settledAt: Type.Unsafe({
      type: ['string', 'null'],
      format: 'date-time',
      description: 'When it was sent or given up.',
    }),
    lastError: nullable('string', 'Why the last attempt failed.'),
  }),
  NotificationList: list('Notification', 'Messages to the operator, newest first.'),
};

const LIST = operatorOperation({
  operationId: 'listNotifications',
  summary: 'Messages to the operator',
  description:
    'Messages about reports and takedowns by webhook and e-mail, newest first: those that wait, those of the last week that were sent, and those of the last 30 days that were given up.',
  parameters: ['NotificationState', 'OwnersLimit', 'ListOffset'],
  responses: {
    '200': ok(
      'A part of the list.',
      json('NotificationList', {
        page: [
          {
            id: 'msg_9f86d081884c7d659a2feaa0',
            channel: 'webhook',
            type: 'report.created',
            state: 'waiting',
            attempts: 1,
            createdAt: SAMPLE.createdAt,
            dueAt: SAMPLE.createdAt,
            settledAt: null,
            lastError: 'the receiver answered 503',
          },
        ],
      }),
      [['Cache-Control', 'X-Total-Count']],
    ),
  },
  errors: ['VALIDATION_FAILED'],
  'x-example-requests': [
    { summary: 'All', status: 200, query: { limit: '10', offset: '0' } },
    { summary: 'Those given up', status: 200, query: { state: 'dead' } },
    { summary: 'Without the password', status: 401 },
  ],
});

/** The message that a text names. @throws NOT_FOUND when none can have that id */
export function notificationNamed(id: string): string {
  if (/^(?:msg|mail)_[0-9a-f]{24}$/.test(id)) return id;
  throw errors.notificationNotFound(id);
}

/** The state that a query names; `null` when it names none. */
export const parseNotificationState = (query: URLSearchParams, issues: ValidationIssues) =>
  parseOneOf(query, 'state', notifications.NOTIFICATION_STATES, issues);

/** Messages to the operator, as the operator sees them (specification 18.11). */
export function notificationRoutes(deps: AdminDependencies) {
  return new Elysia().use(admitted(deps)).get(
    '/api/admin/notifications',
    async ({ context }) => {
      const { page, filter: state } = parseListQuery(context.query(), PAGE, parseNotificationState);
      const input = { state, offset: page.offset, limit: page.limit };
      const found = await call(deps.bus, notifications.listNotifications, input, context.callContext);
      return answerList(found.notifications.map(shown), { count: found.total });
    },
    { detail: documented(LIST, 'operator') },
  );
}

const shown = ({ createdAt, dueAt, settledAt, ...message }: notifications.Notification) => ({
  id: message.id,
  channel: message.channel,
  type: message.type,
  state: message.state,
  attempts: message.attempts,
  createdAt: shownInstant(createdAt),
  dueAt: shownInstant(dueAt),
  settledAt: settledAt === null ? null : shownInstant(settledAt),
  lastError: message.lastError,
});
