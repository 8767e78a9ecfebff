import type { Verdict } from './verdicts.ts';

/** The resources that a measurement may use. */
export interface Bench {
  /** A folder of its own, open to pass through, removed at the end. */
  dir: string;
  /** How long each timed round lasts, where a measurement is bounded by time. */
  seconds: number;
  /** How much is loaded, where a measurement is about that. */
  sizes: {
    /** Numbers of items, the smallest first. */
    items: readonly number[];
    /** Entries of the access log; beside fewer items there are fewer in proportion. */
    logRows: number;
  };
  /** Registers what must be stopped or removed at the end, also after a failure; the last one registered goes first. */
  defer(stop: () => Promise<unknown>): void;
  /** Tells whoever waits what is going on. */
  progress(line: string): void;
}

export type Row = readonly string[];

/** The results of a measurement, ready to be printed. */
export interface Findings {
  /** The first row is the heading. */
  table: readonly Row[];
  /** Sentences that say what the figures include. */
  notes: readonly string[];
  verdicts: readonly Verdict[];
}

export type Measurement = (bench: Bench) => Promise<Findings>;
