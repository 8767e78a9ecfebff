import { Elysia } from 'elysia';
import type { Blocklist } from '../../admission/blocklist.ts';
import type { AdminAccess } from '../../auth/admin-password.ts';
import type { AdminSessions } from '../../auth/admin-session.ts';
import { currentContext, requestScope } from '../../http/request-context.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';

/** Dependencies of the operator's addresses. */
export interface AdminDependencies extends UploadDependencies {
  admin: AdminAccess;
  adminSessions: AdminSessions;
  blocklist: Blocklist;
}

/** Headers of answers to the operator, which nobody keeps. */
export const NO_STORE = { 'Cache-Control': 'no-store' };

/** Guard for routes of the operator alone: adds `context` and `operator`; no handler runs without one of the operator's proofs. */
export const admitted = ({ admin }: Pick<AdminDependencies, 'admin'>) =>
  new Elysia({ name: 'admitted' })
    .use(requestScope)
    .resolve({ as: 'scoped' }, async () => ({ operator: await admin.admit(currentContext()) }))
    .as('scoped');
