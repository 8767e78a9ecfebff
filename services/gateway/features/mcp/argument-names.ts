import { errors } from '../../../../shared/errors.ts';
import { PerchError } from '../../../../shared/perch-error.ts';
import { errorBody } from '../../http/error-status.ts';

/** The arguments of tools that the interface has as parameters and headers of other names. */
const ARGUMENTS: ReadonlyMap<string, string> = new Map([
  ['ns', 'namespace'],
  ['ttl', 'ttlDays'],
  ['p', 'password'],
  ['token', 'ownerToken'],
  ['q', 'query'],
  ['tz', 'timeZone'],
  ['Idempotency-Key', 'idempotencyKey'],
  ['If-Match', 'ifMatch'],
  ['If-None-Match', 'onlyIfAbsent'],
]);

/** The argument that is likely meant by a name that no argument has: one of the interface, or one in another spelling. */
export const likelyArgument = (given: string, names: string[]): string | undefined =>
  names.find((name) => name === ARGUMENTS.get(given) || letters(name) === letters(given));

const letters = (name: string): string => name.replace(/[-_]/g, '').toLowerCase();

/** A failure of an operation: one about faulty parameters is about the arguments that a tool sent as these. */
export function inArguments(failure: unknown): unknown {
  if (!(failure instanceof PerchError) || failure.details.length === 0) return failure;
  const { code, details } = failure;
  // Errors of another status have names of files in their details.
  if (errorBody(failure, '').status !== 400) return failure;
  return errors.invalid(
    code,
    details.map(({ field, message }) => ({ field: ARGUMENTS.get(field) ?? field, message })),
  );
}
