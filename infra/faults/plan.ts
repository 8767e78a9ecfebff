import { createRandom } from '../random.ts';
import type { Component, Fault } from './components.ts';
import type { CyclePlan } from './cycle.ts';

export interface PlanOptions {
  /** Cycles for each fault of each component. */
  cycles: number;
  /** Cycles for a fault that has a number of its own. */
  cyclesOf?: Partial<Record<Fault, number>>;
  /** Names of components; none: all. */
  only: string[];
  kinds: readonly Fault[];
  seed: number;
  /** Numbers of the cycles of the plan that are run; none: all. */
  repeat?: readonly number[];
}

/**
 * Plans which fault hits which component, in a random order that is the same for the same seed. A cycle that is repeated
 * alone has the seed that it has in the whole plan.
 */
export function planCycles(
  components: Component[],
  { cycles, cyclesOf = {}, only, kinds, seed, repeat = [] }: PlanOptions,
): CyclePlan[] {
  const wanted = components.filter(({ name }) => only.length === 0 || only.includes(name));
  const pairs = wanted.flatMap((component) =>
    component.faults.filter((fault) => kinds.includes(fault)).map((fault) => ({ component, fault })),
  );
  const random = createRandom(seed);
  const all = pairs.flatMap((pair) => Array.from({ length: cyclesOf[pair.fault] ?? cycles }, () => pair));
  return random
    .sample(all, all.length)
    .map((pair, index) => ({ ...pair, number: index + 1, seed: random.between(0, 2 ** 31) }))
    .filter(({ number }) => repeat.length === 0 || repeat.includes(number));
}
