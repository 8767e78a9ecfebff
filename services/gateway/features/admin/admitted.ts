import { Elysia } from 'elysia';
import type { Blocklist } from '../../admission/blocklist.ts';
import type { AdminAccess } from '../../auth/admin-password.ts';
import type { AdminSessions } from '../../auth/admin-session.ts';
import { currentContext, requestScope } from '../../http/request-context.ts';
import type { Operation } from '../../openapi/operation.ts';
import { ADMIN_ONLY } from '../../openapi/parameters.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';

/** Dependencies of the operator's addresses. */
export interface AdminDependencies extends UploadDependencies {
  admin: AdminAccess;
  adminSessions: AdminSessions;
  blocklist: Blocklist;
}

/** The header that example requests of the operator send. */
export const ADMIN_HEADERS = { 'X-Admin-Password': '{adminPassword}' };

/** Tag and security of the operator's operations in the interface document. */
export const FOR_OPERATOR = { tags: ['Admin'], security: ADMIN_ONLY } satisfies Pick<
  Operation,
  'tags' | 'security'
>;

/** Headers of answers to the operator, which nobody keeps. */
export const NO_STORE = { 'Cache-Control': 'no-store' };

/** For routes of the operator alone: `context` and `operator`, and no handler runs without one of the operator's proofs. */
export const admitted = ({ admin }: Pick<AdminDependencies, 'admin'>) =>
  new Elysia({ name: 'admitted' })
    .use(requestScope)
    .resolve({ as: 'scoped' }, async () => ({ operator: await admin.admit(currentContext()) }))
    .as('scoped');
