import { errors } from '../../../../shared/errors.ts';
import { parseIfMatch, unquoted } from '../../http/conditional.ts';
import { readIfAbsent } from '../../http/if-absent.ts';

/** If-Match as the contract has it: `*` asks for any version, as no condition does. */
function readIfMatch({ headers }: Request): string[] | null {
  const condition = parseIfMatch(headers.get('if-match'));
  return condition === '*' || condition === null ? null : condition.map(unquoted);
}

/**
 * The conditions of a replacement or a removal (RFC 9110, section 13.1). It only ever meets a document that is there,
 * which `If-None-Match: *` forbids.
 * @throws PRECONDITION_FAILED, VALIDATION_FAILED
 */
export function readDocumentCondition(request: Request): string[] | null {
  if (readIfAbsent(request)) throw errors.jsonTaken();
  return readIfMatch(request);
}
