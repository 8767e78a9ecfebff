import { steadyNow, within } from '../deadline.ts';
import type { Logger } from '../logger.ts';
import type { Batch } from './batch.ts';
import type { Pause } from './pause.ts';

export interface Sweeper {
  /** Ends after the batch under way, but does not wait long for one: it is cut off then, as by the death of the process. */
  stop(): Promise<void>;
}

/** One of the rounds in which passes run. */
export interface Round {
  /**
   * Whether this process knows of work for the pass, or may have left some when it ended. Else what another process did
   * a moment ago may be enough.
   */
  urgent: boolean;
  intervalMs: number;
}

/** A background pass: does one batch of its work. */
export type Pass = [name: string, run: (round: Round) => Promise<Batch>];

interface SweeperOptions {
  log: Logger;
  pause: Pause;
  intervalMs: number;
  /** Part of the time that batches may take, above 0 and up to 1, the default: each is followed by a rest in proportion. */
  share?: number;
}

/** After a round that left something undone the next one comes sooner: what was away may be back, in ms. */
export const RETRY_MS = 2_000;

/**
 * Longest wait of a stop for the batch under way, in ms. A scan or a slow mail server takes longer than a process may take
 * to stop, of which requests have had a part; services in one process stop one after the other.
 */
const STOP_WAIT_MS = 1_000;

/**
 * Runs background passes one after another, then waits `intervalMs` or until the pause is cut short, and so on. The
 * first round comes at once, and is urgent: a process that is often started anew would otherwise never sweep. A pass
 * that fails is logged and tried again soon; it does not keep the others from running. Any number of processes may
 * sweep at once.
 */
export function startSweeper(passes: Pass[], { log, pause, intervalMs, share = 1 }: SweeperOptions): Sweeper {
  let stopped = false;
  /** The pass under way; `null` between two rounds. */
  let current: string | null = null;

  /** Names of the passes that left something undone; at first all of them may have. */
  let undone = new Set(passes.map(([pass]) => pass));

  /** A call meanwhile ends the rest, and still counts as one for the next round. */
  const rest = async (ms: number): Promise<void> => {
    if (ms > 0 && (await pause.wait(ms))) pause.cutShort();
  };

  const runAll = async (isCalled: boolean): Promise<void> => {
    const left = new Set<string>();
    for (const [pass, run] of passes) {
      const round = { urgent: isCalled || undone.has(pass), intervalMs };
      current = pass;
      try {
        for (let more = true; more && !stopped; ) {
          const began = steadyNow();
          const batch = await run(round);
          log.debug({ pass, done: batch.done }, 'sweep');
          more = batch.more;
          if (batch.retry) left.add(pass);
          if (more && !stopped) await rest((steadyNow() - began) * (1 / share - 1));
        }
      } catch (error) {
        left.add(pass);
        log.warn({ error, pass }, 'a sweep failed; it is tried again soon');
      }
    }
    current = null;
    undone = left;
  };
  const loop = (async () => {
    for (let next = 0; !stopped; ) {
      await runAll(await pause.wait(next));
      next = undone.size > 0 ? Math.min(RETRY_MS, intervalMs) : intervalMs;
    }
  })();

  return {
    async stop() {
      stopped = true;
      pause.cutShort();
      await within(loop, STOP_WAIT_MS, () => new Error('the batch goes on')).catch((error: unknown) =>
        log.warn({ error, pass: current }, 'a stop cuts off a sweep'),
      );
    },
  };
}
