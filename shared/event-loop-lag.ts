import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Gauge } from 'prom-client';
import type { Metrics } from './metrics.ts';

/** How often the loop is looked at, in ms: each look costs a timer. */
const LOOK_EVERY_MS = 20;

/** The longest lag is that of the present span of so many ms and of the one before. */
const SPAN_MS = 10_000;

/** Registers a metric of the event loop's lag. All scrapers get the same value, however often they ask. */
export function observeEventLoopLag({ registry }: Metrics): void {
  const delays = monitorEventLoopDelay({ resolution: LOOK_EVERY_MS });
  delays.enable();
  let before = 0;
  setInterval(() => {
    before = delays.max;
    delays.reset();
  }, SPAN_MS).unref();
  new Gauge({
    name: 'event_loop_lag_seconds',
    help: 'The longest the event loop was late in the last 10 to 20 seconds.',
    registers: [registry],
    collect() {
      this.set(Math.max(before, delays.max) / 1e9);
    },
  });
}
