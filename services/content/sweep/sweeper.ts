import { REPOST_HOURS } from '../../../shared/items/item.ts';
import { forgetReceipts } from '../../../shared/items/registry.ts';
import type { ContentDependencies } from '../dependencies.ts';
import { emptyTrash } from './empty-trash.ts';
import { expireItems } from './expire-items.ts';
import { repairRoutes } from './repair-routes.ts';

export interface Sweeper {
  /** Ends after the pass under way. */
  stop(): Promise<void>;
}

/**
 * Runs the background passes one after another, then waits `intervalMs`. A pass that fails is logged and tried again
 * in the next round; it does not keep the others from running. Any number of processes may sweep at once.
 */
export function startSweeper(deps: ContentDependencies, intervalMs: number): Sweeper {
  const passes: Array<[name: string, run: () => Promise<number | null>]> = [
    ['expire-items', () => expireItems(deps)],
    ['empty-trash', () => emptyTrash(deps)],
    ['repair-routes', () => repairRoutes(deps)],
    ['forget-receipts', () => forgetReceipts(deps.sql, deps.clock.now() - REPOST_HOURS * 3_600_000)],
  ];
  let stopped = false;
  let wake = (): void => undefined;

  const round = async (): Promise<void> => {
    for (const [pass, run] of passes) {
      if (stopped) return;
      try {
        deps.log.debug({ pass, done: await run() }, 'sweep');
      } catch (error) {
        deps.log.warn({ error, pass }, 'a sweep failed; the next round tries again');
      }
    }
  };
  const loop = (async () => {
    while (!stopped) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, intervalMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      await round();
    }
  })();

  return {
    async stop() {
      stopped = true;
      wake();
      await loop;
    },
  };
}
