import { expect, test } from 'bun:test';
import { observeEventLoopLag } from '../../shared/event-loop-lag.ts';
import { createMetrics } from '../../shared/metrics.ts';

test('what keeps the event loop from its work is seen, and still seen when it is asked for again', async () => {
  const metrics = createMetrics('test');
  observeEventLoopLag(metrics);
  const lag = async (): Promise<number> => {
    const page = await (await metrics.render()).text();
    return Number(/^event_loop_lag_seconds\{service="test"\} (\S+)$/m.exec(page)?.[1]);
  };
  await Bun.sleep(50);
  const until = performance.now() + 300;
  while (performance.now() < until) {
    // Busy on purpose.
  }
  await Bun.sleep(50);
  expect(await lag()).toBeGreaterThan(0.2);
  expect(await lag()).toBeGreaterThan(0.2);
});
