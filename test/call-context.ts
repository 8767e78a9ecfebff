import type { CallContext } from '../shared/call-context.ts';
import { steadyNow } from '../shared/deadline.ts';
import { newRequestId } from '../shared/ids.ts';

/** The context of a request that has so many ms left. */
export const soon = (ms = 60_000): CallContext => ({ requestId: newRequestId(), deadline: steadyNow() + ms });
