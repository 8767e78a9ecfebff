import { errors } from '../../../shared/errors.ts';
import { preferredType } from '../http/preferred-type.ts';
import type { RequestContext } from '../http/request-context.ts';

/** Whether a client names streams of events among the types that it takes. */
export const takesEvents = (headers: Headers): boolean =>
  headers.get('accept')?.includes('text/event-stream') === true;

/** Whether the client prefers a stream of events to the plain value. */
export const wantsEvents = ({ request }: RequestContext): boolean =>
  takesEvents(request.headers) &&
  preferredType(request, ['application/json', 'text/event-stream']) === 'text/event-stream';

/** Longest wait for a change, in seconds: below the time after which proxies take a silent connection for dead. */
export const MAX_WAIT_SECONDS = 30;

/** How long a read may wait for a change, in ms: its parameter `wait`, in seconds. @throws VALIDATION_FAILED */
export function readWait(context: RequestContext): number {
  const wait = context.search === '' ? null : context.query().get('wait');
  if (wait === null || wait === '') return 0;
  const seconds = /^\d{1,4}$/.test(wait) ? Number(wait) : Number.NaN;
  if (seconds <= MAX_WAIT_SECONDS) return seconds * 1_000;
  throw errors.validationFailed([
    { field: 'wait', message: `must be a whole number of seconds from 0 to ${MAX_WAIT_SECONDS}.` },
  ]);
}
