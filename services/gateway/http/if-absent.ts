import { errors } from '../../../shared/errors.ts';

/**
 * Whether a write, or a removal, is only allowed while its target does not exist (RFC 9110, section 13.1.2). If-None-Match
 * must be `*`: a list of versions is refused, because ignoring it could write against the client's will.
 * @throws VALIDATION_FAILED
 */
export function readIfAbsent({ headers }: Request): boolean {
  const ifNoneMatch = headers.get('if-none-match');
  if (ifNoneMatch !== null && ifNoneMatch.trim() !== '*') {
    throw errors.validationFailed([{ field: 'If-None-Match', message: 'can only be * for a write.' }]);
  }
  return ifNoneMatch !== null;
}
