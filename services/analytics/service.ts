import { pingAnalytics } from '../../shared/contracts/analytics.ts';
import { serve, served } from '../../shared/contracts/serve.ts';
import { createPause } from '../../shared/sweep/pause.ts';
import { type Pass, startSweeper } from '../../shared/sweep/sweeper.ts';
import type { RunningService, ServiceParts } from '../../shared/wiring/parts.ts';
import type { AnalyticsDependencies } from './dependencies.ts';

/** Puts the analytics service on the bus and starts its background passes. */
export async function startAnalytics(parts: ServiceParts): Promise<RunningService> {
  const { sql, bus, cache, clock, config, log } = parts;
  const deps: AnalyticsDependencies = { sql, cache, clock, log, logRetentionDays: config.logRetentionDays };

  const operations = [
    served(pingAnalytics, async () => {
      await deps.sql`select 1`;
      return {};
    }),
  ];
  const passes: Pass[] = [];

  const subscription = await serve(bus, 'analytics', operations, log);
  const sweeper = startSweeper(passes, { log, pause: createPause(), intervalMs: config.sweepIntervalMs });
  return {
    async stop() {
      await subscription.drain();
      await sweeper.stop();
    },
  };
}
