import { errors } from '../../../../shared/errors.ts';
import type { PerchError } from '../../../../shared/perch-error.ts';

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

/** An error about faulty parameters, as one about the arguments that a tool sent as these. */
export const inArguments = ({ code, details }: PerchError): PerchError =>
  errors.invalid(
    code,
    details.map(({ field, message }) => ({ field: ARGUMENTS.get(field) ?? field, message })),
  );
