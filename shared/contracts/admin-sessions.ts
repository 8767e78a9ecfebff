import { Type } from '@sinclair/typebox';
import { ACTED } from './audit.ts';
import { defineOperation } from './operation.ts';

/** The SHA-256 of the token in the operator's cookie, in hex. */
const SessionId = Type.String({ pattern: '^[0-9a-f]{64}$' });

/** Opens a session of the operator's console, and keeps the sign-in in the audit trail. */
export const openAdminSession = defineOperation({
  subject: 'content.open-admin-session',
  input: Type.Object({ sessionId: SessionId, expiresAt: Type.Integer(), ...ACTED }),
  reply: Type.Object({}),
  timeoutMs: 5_000,
  retry: true,
  writes: true,
});

/** Whether a session is open: neither over nor ended, on whichever gateway that was done. */
export const checkAdminSession = defineOperation({
  subject: 'content.check-admin-session',
  input: Type.Object({ sessionId: SessionId }),
  reply: Type.Object({ isOpen: Type.Boolean() }),
  timeoutMs: 3_000,
  retry: true,
});

/** Ends a session, or with `null` all of them. Not repeated after a lost reply: another sign-in may have come in between. */
export const endAdminSessions = defineOperation({
  subject: 'content.end-admin-sessions',
  input: Type.Object({ sessionId: Type.Union([SessionId, Type.Null()]), ...ACTED }),
  reply: Type.Object({ ended: Type.Integer() }),
  timeoutMs: 5_000,
  retry: false,
  writes: true,
});
