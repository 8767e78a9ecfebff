import type { AccessEvent } from '../../shared/contracts/access-log.ts';
import { bucketOf, type LatencyCount } from './latency-buckets.ts';
import { dateOf, dayOf, hourOf } from './utc-days.ts';

export type Dimension = 'path' | 'user_agent' | 'referer';

type Counted<Key> = Key & { requests: number };

/** What some events add to the roll-ups, one entry for each row. Hours by their first ms, days as `2026-11-21`. */
export interface RollUps {
  hours: Array<Counted<{ hour: number; method: string; status: number }>>;
  latencies: Array<LatencyCount & { hour: number }>;
  ips: Array<Counted<{ day: string; clientIp: string }>>;
  values: Array<Counted<{ day: string; dimension: Dimension; value: string }>>;
}

/** Characters of a path, User-Agent or Referer that count: those that begin alike are one value. */
const VALUE_CHARACTERS = 300;

/** Counts events as the roll-ups do. */
export function rollUp(events: readonly AccessEvent[]): RollUps {
  const hours = createTally<{ hour: number; method: string; status: number }>();
  const latencies = createTally<{ hour: number; bucket: number }>();
  const ips = createTally<{ day: string; clientIp: string }>();
  const values = createTally<{ day: string; dimension: Dimension; value: string }>();
  for (const { at, method, status, durationMs, clientIp, path, userAgent, referer } of events) {
    const hour = hourOf(at);
    const day = dateOf(dayOf(at));
    hours.count({ hour, method, status });
    latencies.count({ hour, bucket: bucketOf(durationMs) });
    ips.count({ day, clientIp });
    const named = [
      ['path', path],
      ['user_agent', userAgent],
      ['referer', referer],
    ] as const;
    for (const [dimension, text] of named) {
      if (text !== null)
        values.count({ day, dimension, value: text.slice(0, VALUE_CHARACTERS).toWellFormed() });
    }
  }
  return { hours: hours.rows(), latencies: latencies.rows(), ips: ips.rows(), values: values.rows() };
}

function createTally<Key extends object>() {
  const found = new Map<string, Counted<Key>>();
  return {
    count(key: Key): void {
      // No text of an event holds a NUL any more.
      const name = Object.values(key).join('\0');
      const known = found.get(name);
      if (known === undefined) found.set(name, { ...key, requests: 1 });
      else known.requests += 1;
    },
    rows: (): Array<Counted<Key>> => [...found.values()],
  };
}
