import { REPOST_HOURS } from '../../../shared/items/item.ts';
import { forgetReceipts } from '../../../shared/items/registry.ts';
import type { ContentDependencies } from '../dependencies.ts';
import { emptyTrash } from './empty-trash.ts';
import { expireItems } from './expire-items.ts';
import type { Pause } from './pause.ts';
import { repairRoutes } from './repair-routes.ts';

export interface Sweeper {
  /** Ends after the pass under way. */
  stop(): Promise<void>;
}

/** After a round in which something failed the next one comes sooner: what was away may be back, in ms. */
export const RETRY_MS = 2_000;

/**
 * Runs the background passes one after another, then waits `intervalMs` or until the pause is cut short. A pass that
 * fails is logged and tried again soon; it does not keep the others from running. Any number of processes may sweep at
 * once.
 */
export function startSweeper(deps: ContentDependencies, pause: Pause, intervalMs: number): Sweeper {
  const passes: Array<[name: string, run: () => Promise<number | null>]> = [
    ['expire-items', () => expireItems(deps)],
    ['empty-trash', () => emptyTrash(deps)],
    ['repair-routes', () => repairRoutes(deps)],
    ['forget-receipts', () => forgetReceipts(deps.sql, deps.clock.now() - REPOST_HOURS * 3_600_000)],
  ];
  let stopped = false;

  const runAll = async (): Promise<{ failed: boolean }> => {
    let failed = false;
    for (const [pass, run] of passes) {
      if (stopped) break;
      try {
        deps.log.debug({ pass, done: await run() }, 'sweep');
      } catch (error) {
        failed = true;
        deps.log.warn({ error, pass }, 'a sweep failed; it is tried again soon');
      }
    }
    return { failed };
  };
  const loop = (async () => {
    for (let next = intervalMs; !stopped; ) {
      await pause.wait(next);
      const { failed } = await runAll();
      next = failed ? Math.min(RETRY_MS, intervalMs) : intervalMs;
    }
  })();

  return {
    async stop() {
      stopped = true;
      pause.cutShort();
      await loop;
    },
  };
}
