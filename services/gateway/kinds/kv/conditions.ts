import type { putEntry } from '../../../../shared/contracts/kv.ts';
import type { InputOf } from '../../../../shared/contracts/operation.ts';
import { errors } from '../../../../shared/errors.ts';
import { parseIfMatch, unquoted } from '../../http/conditional.ts';
import { readIfAbsent } from '../../http/if-absent.ts';

type Conditions = Pick<InputOf<typeof putEntry>, 'ifMatch' | 'ifAbsent'>;

/** If-Match as the contract has it. @throws PRECONDITION_FAILED for a header that no key can match */
function readIfMatch({ headers }: Request): Conditions['ifMatch'] {
  const condition = parseIfMatch(headers.get('if-match'));
  if (condition === null) return null;
  if (condition === '*') return [];
  if (condition.length === 0) throw errors.preconditionFailed();
  return condition.map(unquoted);
}

/** The conditions of a write or a removal (RFC 9110, section 13.1). @throws PRECONDITION_FAILED, VALIDATION_FAILED */
export function readConditions(request: Request): Conditions {
  return { ifAbsent: readIfAbsent(request), ifMatch: readIfMatch(request) };
}
