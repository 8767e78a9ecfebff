import type { AdminAccess } from '../../auth/admin-password.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';

/** What the operator's addresses take. */
export interface AdminDependencies extends UploadDependencies {
  admin: AdminAccess;
}
