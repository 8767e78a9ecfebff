import { type Static, Type } from '@sinclair/typebox';
import { ACTED } from './audit.ts';
import { defineOperation } from './operation.ts';

/** The states of a message to the operator: `dead` ones are given up until they are sent again. */
export const NOTIFICATION_STATES = ['waiting', 'sent', 'dead'] as const;
export const NotificationState = Type.Union(NOTIFICATION_STATES.map((state) => Type.Literal(state)));
export type NotificationState = Static<typeof NotificationState>;

/** Messages in one list at most. */
export const NOTIFICATIONS_PER_PAGE = 200;

export const Notification = Type.Object({
  id: Type.String(),
  channel: Type.Union((['webhook', 'email'] as const).map((channel) => Type.Literal(channel))),
  type: Type.String(),
  state: NotificationState,
  attempts: Type.Integer(),
  createdAt: Type.Integer(),
  /** When it is tried next, or until when a process has taken it. */
  dueAt: Type.Integer(),
  settledAt: Type.Union([Type.Integer(), Type.Null()]),
  /** Error of the last attempt that failed. */
  lastError: Type.Union([Type.String(), Type.Null()]),
});
export type Notification = Static<typeof Notification>;

/** Messages to the operator, newest first. */
export const listNotifications = defineOperation({
  subject: 'analytics.list-notifications',
  input: Type.Object({
    state: Type.Union([NotificationState, Type.Null()]),
    offset: Type.Integer({ minimum: 0 }),
    limit: Type.Integer({ minimum: 1, maximum: NOTIFICATIONS_PER_PAGE }),
  }),
  reply: Type.Object({ notifications: Type.Array(Notification), total: Type.Integer() }),
  timeoutMs: 5_000,
  retry: true,
});

/** Has a message that was given up sent again. */
export const resendNotification = defineOperation({
  subject: 'analytics.resend-notification',
  input: Type.Object({ id: Type.String(), ...ACTED }),
  reply: Type.Object({}),
  timeoutMs: 3_000,
  retry: false,
  writes: true,
});
