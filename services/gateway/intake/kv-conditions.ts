import type { putEntry } from '../../../shared/contracts/kv.ts';
import type { InputOf } from '../../../shared/contracts/operation.ts';
import { errors } from '../../../shared/errors.ts';
import { parseIfMatch, unquoted } from '../http/conditional.ts';

type Conditions = Pick<InputOf<typeof putEntry>, 'ifMatch' | 'ifAbsent'>;

/** If-Match as the contract has it. @throws PRECONDITION_FAILED for a header that no key can match */
export function readIfMatch({ headers }: Request): Conditions['ifMatch'] {
  const condition = parseIfMatch(headers.get('if-match'));
  if (condition === null) return null;
  if (condition === '*') return [];
  if (condition.length === 0) throw errors.preconditionFailed();
  return condition.map(unquoted);
}

/**
 * The conditions of a write (RFC 9110, sections 13.1.1 and 13.1.2). Of If-None-Match only `*` is known: what it says of
 * versions nobody asks of a write, and passing over it would write against the client's will.
 * @throws PRECONDITION_FAILED, VALIDATION_FAILED
 */
export function readConditions(request: Request): Conditions {
  const ifNoneMatch = request.headers.get('if-none-match');
  if (ifNoneMatch !== null && ifNoneMatch.trim() !== '*') {
    throw errors.validationFailed([{ field: 'If-None-Match', message: 'can only be * for a write.' }]);
  }
  return { ifMatch: readIfMatch(request), ifAbsent: ifNoneMatch !== null };
}
