import type { Logger } from '../logger.ts';
import type { Batch } from './batch.ts';
import type { Pause } from './pause.ts';

export interface Sweeper {
  /** Ends after the batch under way. */
  stop(): Promise<void>;
}

/** A background pass: does one batch of its work. */
export type Pass = [name: string, run: () => Promise<Batch>];

interface SweeperOptions {
  log: Logger;
  pause: Pause;
  intervalMs: number;
}

/** After a round that left something undone the next one comes sooner: what was away may be back, in ms. */
export const RETRY_MS = 2_000;

/**
 * Runs background passes one after another, then waits `intervalMs` or until the pause is cut short, and so on. The
 * first round comes at once: a process that is often started anew would otherwise never sweep. A pass that fails is logged and tried again soon; it does not keep the others from running. Any number of processes may sweep at
 * once.
 */
export function startSweeper(passes: Pass[], { log, pause, intervalMs }: SweeperOptions): Sweeper {
  let stopped = false;

  const runAll = async (): Promise<{ undone: boolean }> => {
    let undone = false;
    for (const [pass, run] of passes) {
      try {
        for (let more = true; more && !stopped; ) {
          const batch = await run();
          log.debug({ pass, done: batch.done }, 'sweep');
          more = batch.more;
          undone ||= batch.retry ?? false;
        }
      } catch (error) {
        undone = true;
        log.warn({ error, pass }, 'a sweep failed; it is tried again soon');
      }
    }
    return { undone };
  };
  const loop = (async () => {
    for (let next = 0; !stopped; ) {
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
