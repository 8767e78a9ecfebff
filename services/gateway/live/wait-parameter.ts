import { errors } from '../../../shared/errors.ts';
import type { RequestContext } from '../http/request-context.ts';

/** Longest wait for a change, in seconds: below the time after which proxies take a silent connection for dead. */
export const LONGEST_WAIT_SECONDS = 30;

/** How long a read may wait for a change, in ms: its parameter `wait`, in seconds. @throws VALIDATION_FAILED */
export function readWait(context: RequestContext): number {
  const wait = context.search === '' ? null : context.query().get('wait');
  if (wait === null || wait === '') return 0;
  const seconds = /^\d{1,4}$/.test(wait) ? Number(wait) : Number.NaN;
  if (seconds <= LONGEST_WAIT_SECONDS) return seconds * 1_000;
  throw errors.validationFailed([
    { field: 'wait', message: `must be a whole number of seconds from 0 to ${LONGEST_WAIT_SECONDS}.` },
  ]);
}
