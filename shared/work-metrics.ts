import { Counter, Gauge } from 'prom-client';
import { isPing } from './contracts/operation.ts';
import type { Metrics } from './metrics.ts';
import type { Bus } from './ports/bus.ts';
import type { EventStream } from './ports/event-stream.ts';

/** Counts what the process does for others over the bus: beside the other members of its queue, its share. */
export function countRequests(bus: Bus, { registry }: Metrics): Bus {
  const requests = new Counter({
    name: 'bus_requests_total',
    help: 'Requests over the bus that this process has answered.',
    labelNames: ['operation'],
    registers: [registry],
  });
  let underWay = 0;
  new Gauge({
    name: 'bus_requests_under_way',
    help: 'Requests over the bus that this process has taken and not answered yet.',
    registers: [registry],
    collect() {
      this.set(underWay);
    },
  });
  return {
    ...bus,
    async serve(subject, queue, handler) {
      if (isPing(subject)) return await bus.serve(subject, queue, handler);
      // Looked up once: by its labels a counter is found anew with each request.
      const counter = requests.labels({ operation: subject });
      return await bus.serve(subject, queue, async (payload) => {
        underWay += 1;
        try {
          return await handler(payload);
        } finally {
          underWay -= 1;
          counter.inc();
        }
      });
    },
  };
}

/** Counts the messages of the event stream that the process has dealt with, when it takes any. */
export function countMessages(events: EventStream, { registry }: Metrics): EventStream {
  return {
    ...events,
    async consume(limits, handler) {
      const messages = new Counter({
        name: 'event_messages_total',
        help: 'Messages of the event stream that this process has dealt with.',
        registers: [registry],
      });
      return await events.consume(limits, async (taken) => {
        await handler(taken);
        messages.inc(taken.length);
      });
    },
  };
}
