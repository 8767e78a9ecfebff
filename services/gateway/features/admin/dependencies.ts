import type { AdminAccess } from '../../auth/admin-password.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';

/** Dependencies of the operator's addresses. */
export interface AdminDependencies extends UploadDependencies {
  admin: AdminAccess;
}
