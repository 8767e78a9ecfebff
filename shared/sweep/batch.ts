/** The result of one run of a background pass. Passes work in batches, so that a stop never waits for a backlog. */
export interface Batch {
  done: number;
  /** Whether the pass should go on at once. */
  more: boolean;
  /** Whether something is left that should be tried again soon, though not at once. */
  retry?: boolean;
}
