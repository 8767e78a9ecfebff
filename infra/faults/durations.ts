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
