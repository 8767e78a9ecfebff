import { Counter, Gauge } from 'prom-client';
import { createColumns, type LoggedRequest } from '../../../shared/contracts/access-columns.ts';
import type { Logger } from '../../../shared/logger.ts';
import type { Metrics } from '../../../shared/metrics.ts';
import type { EventStream } from '../../../shared/ports/event-stream.ts';
import { createEventBuffer } from './event-buffer.ts';
import { gatherItems } from './gather-items.ts';
import { createRequestLines, createRequestLog, PERIOD_MS } from './request-log.ts';
import { createAddedSize, createEntrySize } from './request-size.ts';

/** On their way to the access log (specification 18.3). */
export interface AccessEvents {
  /** Never waits: a request that finds no room is dropped and counted. @throws when its line cannot be written */
  record(request: LoggedRequest): void;
  /** Sends the buffered events, within a time limit. No request may be under way any more. */
  stop(): Promise<void>;
}

/**
 * Requests are logged many at a time: one by one, between answers, each takes the gateway almost twice as long, as nothing of the log's
 * code is in the core's caches by then.
 */
export const GATHERED = { atOnce: 500, withinMs: 50 };

interface AccessEventsOptions {
  events: EventStream;
  /** Most bytes of the entries of a day; see `createRequestLog`. */
  maxBytesPerDay: number;
  metrics: Metrics;
  log: Logger;
}

/** Logs the events of a gateway: in lines, and in batches for the access log. Counts what it had to drop or sum up. */
export function createAccessEvents({
  events,
  metrics,
  log,
  maxBytesPerDay,
}: AccessEventsOptions): AccessEvents {
  const { registry } = metrics;
  const dropped = new Counter({
    name: 'access_events_dropped_total',
    help: 'Answered requests that the access log will never have.',
    registers: [registry],
  });
  const encoder = new TextEncoder();
  const buffer = createEventBuffer<LoggedRequest>({
    stream: events,
    log,
    sizeOf: createAddedSize(),
    open() {
      const { add, removeFirst, build } = createColumns();
      return { add, removeFirst, encode: (id) => encoder.encode(JSON.stringify(build(id))) };
    },
    onDropped: (count) => dropped.inc(count),
  });
  const summed = new Counter({
    name: 'access_log_summed_total',
    help: 'Answered requests that the logs have as a part of a counted entry only.',
    labelNames: ['reason'],
    registers: [registry],
  });
  // Alarms need a number to begin with.
  for (const reason of ['refused', 'bound']) summed.inc({ reason }, 0);
  const lines = createRequestLines(log);
  const requests = createRequestLog({
    sizeOf: createEntrySize(),
    maxBytesPerDay,
    write(request) {
      buffer.add(request);
      lines.write(request);
    },
    onSummed: (reason) => summed.inc({ reason }),
  });
  const flushing = setInterval(requests.flush, PERIOD_MS);
  flushing.unref();
  const answered = gatherItems(requests.record, GATHERED);
  // A process that ends without a stop has lines all the same.
  lines.onFlush(answered.handOn);
  let record = answered.add;
  new Gauge({
    name: 'access_events_buffered',
    help: 'Answered requests on their way to the access log.',
    registers: [registry],
    collect() {
      this.set(answered.count + buffer.buffered);
    },
  });
  return {
    record: (request) => record(request),
    async stop() {
      clearInterval(flushing);
      // Handlers that were given up may still answer: the process ends before these are many.
      record = requests.record;
      try {
        answered.handOn();
        requests.flush();
      } finally {
        await buffer.stop();
      }
    },
  };
}
