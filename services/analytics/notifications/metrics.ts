import { Counter } from 'prom-client';
import type { Clock } from '../../../shared/clock.ts';
import type { Database } from '../../../shared/items/sql.ts';
import type { Metrics } from '../../../shared/metrics.ts';
import { observeFigures } from '../../../shared/store-metrics.ts';
import { type Channel, readQueue } from './waiting.ts';

/** Counts attempts by their outcome. */
export interface DeliveryCounts {
  sent(channel: Channel): void;
  failed(channel: Channel): void;
}

/** Counts for metrics, and shows the queue, which all processes share. Without metrics nothing is counted. */
export function createDeliveryCounts(
  metrics: Metrics | null,
  { sql, clock }: { sql: Database; clock: Clock },
  channels: readonly Channel[],
): DeliveryCounts {
  if (metrics === null) return { sent: () => undefined, failed: () => undefined };
  const attempts = new Counter({
    name: 'notification_attempts_total',
    help: 'Attempts of this process to send messages to the operator.',
    labelNames: ['channel', 'outcome'],
    registers: [metrics.registry],
  });
  observeFigures(metrics, () => readQueue(sql, channels), [
    { name: 'notifications_waiting', help: 'Messages to the operator that wait.', of: (it) => it.waiting },
    { name: 'notifications_dead', help: 'Messages to the operator that were given up.', of: (it) => it.dead },
    {
      name: 'notifications_oldest_seconds',
      help: 'Age of the oldest message that waits; 0 for none.',
      of: ({ oldestAt }) => (oldestAt === null ? 0 : Math.max(0, clock.now() - oldestAt) / 1_000),
    },
  ]);
  return {
    sent: (channel) => attempts.inc({ channel, outcome: 'sent' }),
    failed: (channel) => attempts.inc({ channel, outcome: 'failed' }),
  };
}
