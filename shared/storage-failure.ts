import { errorCode } from './error-code.ts';
import { errors } from './errors.ts';
import type { PerchError } from './perch-error.ts';

/** Error codes of a full file system, or of a used up quota (POSIX, errno). */
const NO_SPACE = new Set(['ENOSPC', 'EDQUOT']);

export const isNoSpace = (error: unknown): boolean => NO_SPACE.has(errorCode(error) ?? '');

/**
 * A failed file operation as a client may hear of it: `STORAGE_FULL` when the disk is, else `UNAVAILABLE`.
 * @param what the storage, in a client's words
 */
export function storageFailure(what: string, error: unknown): PerchError {
  return isNoSpace(error) ? errors.storageFull(what, error) : errors.unavailable(what, error);
}
