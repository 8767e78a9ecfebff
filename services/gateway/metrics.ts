import { Counter, Gauge } from 'prom-client';
import type { Metrics } from '../../shared/metrics.ts';
import { createDurations } from './durations.ts';

/** Metrics of a gateway's HTTP requests. */
export interface GatewayMetrics {
  /** Counts a request and the time that it took. */
  observe(kind: RequestKind, method: string, status: number, seconds: number): void;
  /** Counts the time of a request that is counted with others. */
  observeDuration(kind: RequestKind, seconds: number): void;
  /** Counts so many requests of the fast path for reads (`hot-reads/`), all answered with 200. */
  hotReadsAnswered(count: number): void;
  /** Counts so many requests of the fast path for writes of keys (`kinds/kv/hot-puts/`), all answered with 200. */
  hotPutsAnswered(count: number): void;
  requestStarted(): void;
  requestEnded(): void;
  /** Counts a reader whose connection was closed because it read too slowly. */
  slowReaderClosed(): void;
  /** Requests under way. */
  readonly underWay: number;
}

/** `page`: a short URL; `api`: the rest of the interface; `static`: what the access log leaves out, such as assets and health. */
const REQUEST_KINDS = ['page', 'api', 'static'] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];

/** Kinds, methods and statuses of failures. */
const FAILURES = (['page', 'api'] as const).flatMap((kind) =>
  (kind === 'page' ? ['GET'] : ['GET', 'POST', 'PUT', 'DELETE']).flatMap((method) =>
    [429, 500, 503, 504].map((status) => [kind, method, status] as const),
  ),
);

export function createGatewayMetrics({ registry }: Metrics): GatewayMetrics {
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Requests answered.',
    labelNames: ['kind', 'method', 'status'],
    registers: [registry],
  });
  // From the start: the rate of a series that begins with its first failure does not show that one.
  for (const [kind, method, status] of FAILURES) requests.inc({ kind, method, status }, 0);
  const durations = createDurations({
    name: 'http_request_duration_seconds',
    help: 'Time from arrival to the answer, without the body on its way.',
    kinds: REQUEST_KINDS,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registry,
  });
  const counter = (name: string, help: string) => new Counter({ name, help, registers: [registry] });
  const slowReaders = counter(
    'slow_readers_closed_total',
    'Long reads that were cut off because their reader took too little.',
  );
  const hotReads = counter(
    'hot_reads_total',
    'Answers of the fast path for pages and values that were read before.',
  );
  const hotPuts = counter('hot_puts_total', 'Answers of the fast path for writes of keys that are there.');
  let underWay = 0;
  new Gauge({
    name: 'http_requests_under_way',
    help: 'Requests that have no answer yet.',
    registers: [registry],
    collect() {
      this.set(underWay);
    },
  });
  return {
    observe(kind, method, status, seconds) {
      requests.inc({ kind, method, status });
      durations.observe(kind, seconds);
    },
    observeDuration: durations.observe,
    hotReadsAnswered(count) {
      requests.inc({ kind: 'page', method: 'GET', status: 200 }, count);
      hotReads.inc(count);
    },
    hotPutsAnswered(count) {
      requests.inc({ kind: 'api', method: 'PUT', status: 200 }, count);
      hotPuts.inc(count);
    },
    slowReaderClosed: () => slowReaders.inc(),
    requestStarted() {
      underWay += 1;
    },
    requestEnded() {
      underWay -= 1;
    },
    get underWay() {
      return underWay;
    },
  };
}
