import { createRandom } from '../random.ts';
import type { Component, Fault } from './components.ts';
import type { CyclePlan } from './cycle.ts';

export interface PlanOptions {
  /** Cycles for each fault of each component. */
  cycles: number;
  /** Names of components; none: all. */
  only: string[];
  kinds: readonly Fault[];
  seed: number;
}

/** Plans which fault hits which component, in a random order that is the same for the same seed. */
export function planCycles(components: Component[], { cycles, only, kinds, seed }: PlanOptions): CyclePlan[] {
  const wanted = components.filter(({ name }) => only.length === 0 || only.includes(name));
  const pairs = wanted.flatMap((component) =>
    component.faults.filter((fault) => kinds.includes(fault)).map((fault) => ({ component, fault })),
  );
  const random = createRandom(seed);
  const all = pairs.flatMap((pair) => Array.from({ length: cycles }, () => pair));
  return random
    .sample(all, all.length)
    .map((pair, index) => ({ ...pair, number: index + 1, seed: random.between(0, 2 ** 31) }));
}
