import { until } from '../until.ts';

/** Lets steps pass, or holds them. */
export interface Gate {
  /** Takes a step as soon as the gate is open. */
  pass(step: () => Promise<void>): Promise<void>;
  /** Resolves when no step is under way and none begins, with what opens the gate. */
  close(): Promise<() => void>;
}

/** Longer than any step takes, in ms. */
const LONGEST_STEP_MS = 90_000;

export function createGate(): Gate {
  let opening = Promise.resolve();
  let underWay = 0;
  return {
    async pass(step) {
      await opening;
      underWay += 1;
      await step().finally(() => {
        underWay -= 1;
      });
    },
    async close() {
      const { promise, resolve } = Promise.withResolvers<void>();
      opening = promise;
      await until('nothing is under way', async () => underWay === 0, LONGEST_STEP_MS);
      return resolve;
    },
  };
}
