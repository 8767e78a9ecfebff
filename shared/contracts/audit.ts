import { type Static, Type } from '@sinclair/typebox';
import { defineOperation } from './operation.ts';

const NullableString = Type.Union([Type.String(), Type.Null()]);

/** Actions of an operator, each an entry of the audit trail (specification 18.9). */
export const AUDIT_ACTIONS = [
  ...(['sign-in', 'sign-out', 'sign-out-everywhere'] as const),
  ...(['review-report', 'review-reported-item', 'take-down-item', 'hide-item', 'show-item'] as const),
  ...(['take-down-many', 'block-content', 'unblock-content', 'resend-notification'] as const),
  ...(['release-item', 'start-rescan'] as const),
  ...(['take-down-owner', 'set-owner-terms', 'block-clients', 'end-block'] as const),
] as const;
export const AuditAction = Type.Union(AUDIT_ACTIONS.map((action) => Type.Literal(action)));
export type AuditAction = Static<typeof AuditAction>;

/** Ways in for an operator, by the console with its cookie or the API with the password; and the service, acting by itself. */
export const AUDIT_WAYS = ['console', 'api', 'service'] as const;

/** Entries in one list at most. */
export const AUDIT_PER_PAGE = 200;

/** The operator who acts, as every operation takes it that changes something for them. Earlier releases do not send it. */
export const Actor = Type.Object({
  /** Empty when the service itself acts. */
  clientIp: Type.String(),
  via: Type.Union(AUDIT_WAYS.map((way) => Type.Literal(way))),
  /** The operator's reason. */
  note: NullableString,
});
export type Actor = Static<typeof Actor>;

/** The field of an operation's input that says who acts. */
export const ACTED = { actor: Type.Optional(Actor) };

/** An entry before it is kept. */
export const AuditRecord = Type.Object({
  action: AuditAction,
  /** The item, owner or report it was done to, such as `public/Ab3dE6gH9k`; empty where there is none. */
  target: Type.String(),
  /** `done`, or the code of the error it failed with. */
  outcome: Type.String(),
});
export type AuditRecord = Static<typeof AuditRecord>;

export const AuditEntry = Type.Composite([
  AuditRecord,
  Actor,
  Type.Object({
    id: Type.Integer(),
    createdAt: Type.Integer(),
    requestId: Type.String(),
  }),
]);
export type AuditEntry = Static<typeof AuditEntry>;

/** Keeps what an operator tried in vain; what succeeded is kept by the transaction that did it. */
export const recordAttempt = defineOperation({
  subject: 'content.record-attempt',
  input: Type.Object({ ...AuditRecord.properties, actor: Actor }),
  reply: Type.Object({}),
  timeoutMs: 3_000,
  retry: true,
  writes: true,
});

/** The audit trail, newest first. */
export const listAudit = defineOperation({
  subject: 'content.list-audit',
  input: Type.Object({
    action: Type.Union([AuditAction, Type.Null()]),
    /** Behind the entry of that moment and id. */
    after: Type.Union([Type.Object({ createdAt: Type.Integer(), id: Type.Integer() }), Type.Null()]),
    offset: Type.Integer({ minimum: 0 }),
    limit: Type.Integer({ minimum: 1, maximum: AUDIT_PER_PAGE }),
  }),
  reply: Type.Object({
    entries: Type.Array(AuditEntry),
    /** Number of all entries with that action, wherever the page begins. */
    total: Type.Integer(),
    /** Whether older ones follow. */
    more: Type.Boolean(),
  }),
  timeoutMs: 5_000,
  retry: true,
});
