import { errors } from '../../../shared/errors.ts';
import type { PerchError } from '../../../shared/perch-error.ts';

/** Most characters of a client's path that a message repeats. */
const SHOWN_CHARACTERS = 80;

/** A path for use in a message: cut, quoted, and with control characters and half surrogates escaped. */
export function quoted(path: string): string {
  const shown = Array.from(path.slice(0, 2 * SHOWN_CHARACTERS))
    .slice(0, SHOWN_CHARACTERS)
    .join('');
  return JSON.stringify(shown.length < path.length ? `${shown}…` : shown);
}

/** VALIDATION_FAILED for an archive that cannot be a site. */
export const archiveIssue = (message: string): PerchError =>
  errors.validationFailed([{ field: 'archive', message }]);

/** VALIDATION_FAILED for an entry of an archive. */
export const entryIssue = (name: string, message: string): PerchError =>
  archiveIssue(`the entry ${quoted(name)} ${message}`);
