import { errors } from '../../../../shared/errors.ts';

/**
 * A text that UTF-8 can carry: half of a surrogate pair would become another character without a word, in a password as well.
 * @param field names it in the error
 * @throws VALIDATION_FAILED
 */
export function wellFormed(text: string, field: string): string {
  if (text.isWellFormed()) return text;
  throw errors.validationFailed([{ field, message: 'contains half of a surrogate pair.' }]);
}
