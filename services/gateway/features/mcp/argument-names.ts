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
export const likelyArgument = (given: string, names: string[]): string | null =>
  names.find((name) => name === ARGUMENTS.get(given) || letters(name) === letters(given)) ?? null;

const letters = (name: string): string => name.replace(/[-_]/g, '').toLowerCase();

/** How messages of operations speak of the interface, and how they do it to callers of tools. */
const PHRASES = [
  ['X-Owner-Token: ', 'ownerToken: '],
  ['in the X-Owner-Token header or as ?token=', 'as `ownerToken`'],
  ['in the X-Password header or as ?p=', 'as `password`'],
  ['its ETag is not one of If-Match', 'its `etag` is not that of `ifMatch`'],
  ['"If-None-Match: *"', '`onlyIfAbsent`'],
  ['POST /api/sites', 'publish_site'],
] as const;

/** A message of an operation with the names of arguments and tools. */
export const inWordsOfTools = (message: string): string =>
  PHRASES.reduce((text, [ofInterface, ofTools]) => text.replace(ofInterface, ofTools), message);

/** A failure of an operation, which is told to a client of the interface, as one that speaks of a tool's arguments. */
export function inArguments(failure: unknown): unknown {
  if (!(failure instanceof PerchError)) return failure;
  const { code, message, details, retryAfter } = failure;
  const { status } = errorBody(failure, '');
  // Failures of the service go into the log, and speak of no parameters.
  if (status >= 500) return failure;
  // Errors of another status have names of files in their details.
  if (status === 400 && details.length > 0)
    return errors.invalid(
      code,
      details.map((issue) => ({ ...issue, field: ARGUMENTS.get(issue.field) ?? issue.field })),
    );
  return new PerchError(code, inWordsOfTools(message), {
    details,
    ...(retryAfter === null ? {} : { retryAfter }),
    cause: failure,
  });
}
