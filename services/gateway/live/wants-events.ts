import { preferredType } from '../http/preferred-type.ts';
import type { RequestContext } from '../http/request-context.ts';

/** Whether a client names streams of events among the types that it takes. */
export const takesEvents = (headers: Headers): boolean =>
  headers.get('accept')?.includes('text/event-stream') === true;

/** Whether the client prefers a stream of events to the plain value. */
export const wantsEvents = ({ request }: RequestContext): boolean =>
  takesEvents(request.headers) &&
  preferredType(request, ['application/json', 'text/event-stream']) === 'text/event-stream';
