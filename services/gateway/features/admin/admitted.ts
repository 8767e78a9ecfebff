import { Elysia } from 'elysia';
import type { Blocklist } from '../../admission/blocklist.ts';
import type { AdminAccess } from '../../auth/admin-password.ts';
import { currentContext, requestScope } from '../../http/request-context.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';

/** Dependencies of the operator's addresses. */
export interface AdminDependencies extends UploadDependencies {
  admin: AdminAccess;
  blocklist: Blocklist;
}

/** Of example requests. */
export const ADMIN_HEADERS = { 'X-Admin-Password': '{adminPassword}' };

/** For routes of the operator alone: `context`, and no handler runs without the admin password. */
export const admitted = ({ admin }: Pick<AdminDependencies, 'admin'>) =>
  new Elysia({ name: 'admitted' })
    .use(requestScope)
    .onBeforeHandle({ as: 'scoped' }, () => admin.admit(currentContext()))
    .as('scoped');
