import { preferredType } from '../http/preferred-type.ts';
import type { RequestContext } from '../http/request-context.ts';

/** Whether the client prefers a stream of events to the plain value. */
export const wantsEvents = ({ request }: RequestContext): boolean =>
  request.headers.get('accept')?.includes('text/event-stream') === true &&
  preferredType(request, ['application/json', 'text/event-stream']) === 'text/event-stream';
