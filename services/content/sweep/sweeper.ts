import type { ContentDependencies } from '../dependencies.ts';
import type { Batch } from './batch.ts';
import { emptyTrash } from './empty-trash.ts';
import { expireItems } from './expire-items.ts';
import { forgetOldReceipts } from './forget-receipts.ts';
import type { Pause } from './pause.ts';
import { repairRoutes } from './repair-routes.ts';

export interface Sweeper {
  /** Ends after the batch under way. */
  stop(): Promise<void>;
}

/** After a round that left something undone the next one comes sooner: what was away may be back, in ms. */
export const RETRY_MS = 2_000;

/**
 * Runs the background passes one after another, then waits `intervalMs` or until the pause is cut short. A pass that
 * fails is logged and tried again soon; it does not keep the others from running. Any number of processes may sweep at
 * once.
 */
export function startSweeper(deps: ContentDependencies, pause: Pause, intervalMs: number): Sweeper {
  const passes: Array<[name: string, run: (deps: ContentDependencies) => Promise<Batch>]> = [
    // First, as the others may have a backlog.
    ['repair-routes', repairRoutes],
    ['expire-items', expireItems],
    ['empty-trash', emptyTrash],
    ['forget-receipts', forgetOldReceipts],
  ];
  let stopped = false;

  const runAll = async (): Promise<{ undone: boolean }> => {
    let undone = false;
    for (const [pass, run] of passes) {
      try {
        for (let more = true; more && !stopped; ) {
          const batch = await run(deps);
          deps.log.debug({ pass, done: batch.done }, 'sweep');
          more = batch.more;
          undone ||= batch.retry ?? false;
        }
      } catch (error) {
        undone = true;
        deps.log.warn({ error, pass }, 'a sweep failed; it is tried again soon');
      }
    }
    return { undone };
  };
  const loop = (async () => {
    for (let next = intervalMs; !stopped; ) {
      await pause.wait(next);
      const { undone } = await runAll();
      next = undone ? Math.min(RETRY_MS, intervalMs) : intervalMs;
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
