import { createPause } from '../../shared/sweep/pause.ts';
import type { Server } from '../servers/server.ts';

export interface KeepRunningOptions {
  /** Tells the operator. */
  say(line: string): void;
  times?: KeepRunningTimes;
}

/** In ms. */
export interface KeepRunningTimes {
  /** How often a process is looked at. */
  look: number;
  /** The first wait before a start; it doubles with each end that follows soon on a start, up to the last. */
  first: number;
  last: number;
  /** Whoever ran so long has started well. */
  steady: number;
}

const TIMES: KeepRunningTimes = { look: 250, first: 250, last: 30_000, steady: 30_000 };

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
    earlyEnds = ranMs < times.steady ? earlyEnds + 1 : 1;
    const waitMs = Math.min(times.first * 2 ** (earlyEnds - 1), times.last);
    const after = `${(ranMs / 1000).toFixed(1)} s`;
    say(`${process.name} has ended after ${after}; it is started again in ${waitMs} ms (${process.logFile})`);
    await pause.wait(waitMs);
    if (stopped) return;
    startedAt = performance.now();
    try {
      await process.start();
      say(`${process.name} runs again`);
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
    }
  };
  const watching = (async () => {
    while (!stopped) {
      await pause.wait(times.look);
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
