import { Counter } from 'prom-client';
import { errors } from './errors.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';
import type { PerchError } from './perch-error.ts';
import { throttle } from './throttle.ts';

const QUEUES = [
  'requests',
  'uploads',
  'passwords',
  'long-reads',
  'bus-requests',
  'operations',
  'transactions',
  'statements',
  'commits',
  'changes',
  'renderings',
  'searches',
  'watchers',
] as const;

/** The queues of a process that refuse when they are full (docs/operations.md, "Queues and their bounds"). */
export type BoundedQueue = (typeof QUEUES)[number];

/** Refuses work at once when a queue is full, instead of queueing it (load shedding). */
export interface LoadShedding {
  /** Counts a refusal, says now and then in the log that there are some, and makes the error for it. */
  shed(queue: BoundedQueue): PerchError;
  /** Shows them in the metrics of the process. */
  observe(metrics: Metrics): void;
}

/** At most one line in so many ms says that work is refused: a line for each would make a process in need do more. */
const NOTICE_EVERY_MS = 10_000;

export function createLoadShedding(log: Logger): LoadShedding {
  const counts = new Map<BoundedQueue, number>(QUEUES.map((queue) => [queue, 0]));
  const notice = throttle(NOTICE_EVERY_MS, () =>
    log.warn({ refusals: Object.fromEntries(counts) }, 'too much to do at once: work is refused'),
  );
  return {
    shed(queue) {
      counts.set(queue, (counts.get(queue) ?? 0) + 1);
      notice();
      return errors.refused('too much to do at once');
    },
    observe({ registry }) {
      new Counter({
        name: 'refusals_total',
        help: 'Work refused at once because a queue was full.',
        labelNames: ['queue'],
        registers: [registry],
        collect() {
          this.reset();
          for (const [queue, count] of counts) this.inc({ queue }, count);
        },
      });
    },
  };
}
