import { type Backoff, backoffMs } from '../../shared/backoff.ts';
import { messageOf } from '../../shared/message-of.ts';
import { createPause } from '../../shared/sweep/pause.ts';
import type { Server } from '../servers/server.ts';

export interface KeepRunningOptions {
  /** Tells the operator. */
  say(line: string): void;
  times?: KeepRunningTimes;
}

/** The backoff counts ends that follow soon on a start. */
export interface KeepRunningTimes extends Backoff {
  /** How often a process is looked at. */
  lookMs: number;
  /** A process that ran this long counts as well started. */
  steadyMs: number;
}

const TIMES: KeepRunningTimes = { lookMs: 250, firstMs: 250, lastMs: 30_000, steadyMs: 30_000 };

/**
 * Starts a process again when it has ended by itself. One that ends soon after each start is started ever less often. Its
 * `stop` ends that, too.
 */
export function keepRunning<Kept extends Server>(
  process: Kept,
  { say, times = TIMES }: KeepRunningOptions,
): Kept {
  const pause = createPause();
  let stopped = false;
  let startedAt = performance.now();
  let earlyEnds = 0;

  const startAgain = async (): Promise<void> => {
    const ranMs = performance.now() - startedAt;
    earlyEnds = ranMs < times.steadyMs ? earlyEnds + 1 : 1;
    const waitMs = backoffMs(earlyEnds, times);
    const after = `${(ranMs / 1000).toFixed(1)} s`;
    say(`${process.name} has ended after ${after}; it is started again in ${waitMs} ms (${process.logFile})`);
    await pause.wait(waitMs);
    if (stopped) return;
    startedAt = performance.now();
    try {
      await process.start();
      say(`${process.name} runs again`);
    } catch (error) {
      say(messageOf(error));
    }
  };
  const watching = (async () => {
    while (!stopped) {
      await pause.wait(times.lookMs);
      if (!(stopped || process.isRunning())) await startAgain();
    }
  })();

  return {
    ...process,
    async stop() {
      stopped = true;
      pause.cutShort();
      // Once for what runs, which ends a start under way, and once for what came up meanwhile.
      await process.stop();
      await watching;
      await process.stop();
    },
  };
}
