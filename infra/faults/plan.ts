import { createRandom } from '../random.ts';
import type { Component, Fault } from './components.ts';

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

/** The fault of one cycle, and its target. */
export interface CyclePlan {
  number: number;
  component: Component;
  fault: Fault;
  /** Seed of the chances of this cycle. */
  seed: number;
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

/** How long things last in a cycle. */
export interface Durations {
  /** Steps of the writers before something is hit: some number in between. All others are in ms. */
  before: readonly [number, number];
  /** A killed process stays away. */
  away: readonly [number, number];
  pause: number;
  /** A link stays broken. */
  broken: number;
  /** Under load after all is well again. */
  after: number;
}

export const USUAL: Durations = {
  before: [20, 100],
  away: [0, 700],
  pause: 5_000,
  broken: 3_000,
  after: 500,
};

export const QUICK: Durations = { before: [15, 40], away: [0, 200], pause: 1_200, broken: 800, after: 300 };
