import type { LoadShedding } from '../load-shedding.ts';
import type { Bus } from '../ports/bus.ts';
import { encodeMessage, failureReply } from './call.ts';
import { isPing } from './operation.ts';

export interface BusBounds {
  /** Requests without a reply at once. */
  requests: number;
  /** Operations under way at once, and bytes of their input together; one alone may be larger. */
  operations: number;
  operationBytes: number;
}

/**
 * Bounds the requests and operations that a process has under way on a bus. Work above the bound is refused at once:
 * queued, it would be done after its caller has given up. Pings pass, as liveness has to be known even then.
 */
export function boundBus(bus: Bus, bounds: BusBounds, loadShedding: LoadShedding): Bus {
  let requests = 0;
  let operations = 0;
  let operationBytes = 0;

  const hasRoomFor = (bytes: number): boolean =>
    operations === 0 || (operations < bounds.operations && operationBytes + bytes <= bounds.operationBytes);

  return {
    ...bus,
    async request(subject, payload, options) {
      if (isPing(subject)) return await bus.request(subject, payload, options);
      if (requests >= bounds.requests) throw loadShedding.shed('bus-requests');
      requests += 1;
      try {
        return await bus.request(subject, payload, options);
      } finally {
        requests -= 1;
      }
    },
    async serve(subject, queue, handler) {
      if (isPing(subject)) return await bus.serve(subject, queue, handler);
      return await bus.serve(subject, queue, async (payload) => {
        const bytes = payload.length;
        if (!hasRoomFor(bytes)) return encodeMessage(failureReply(loadShedding.shed('operations')));
        operations += 1;
        operationBytes += bytes;
        try {
          return await handler(payload);
        } finally {
          operations -= 1;
          operationBytes -= bytes;
        }
      });
    },
  };
}
