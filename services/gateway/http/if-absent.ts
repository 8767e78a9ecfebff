import { errors } from '../../../shared/errors.ts';

/**
 * Whether a write, or a removal, is only for what is not there (RFC 9110, section 13.1.2). Of If-None-Match only `*` is
 * known: what it says of versions nobody asks of a write, and passing over it would write against the client's will.
 * @throws VALIDATION_FAILED
 */
export function readIfAbsent({ headers }: Request): boolean {
  const ifNoneMatch = headers.get('if-none-match');
  if (ifNoneMatch !== null && ifNoneMatch.trim() !== '*') {
    throw errors.validationFailed([{ field: 'If-None-Match', message: 'can only be * for a write.' }]);
  }
  return ifNoneMatch !== null;
}
