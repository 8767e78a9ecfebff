import { alignRows } from '../align-rows.ts';

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

/** How long some work takes, in ms. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

export type Measurement = (bench: Bench) => Promise<Findings>;

/** A figure held against what it should be. */
export interface Verdict {
  what: string;
  found: string;
  wanted: string;
  met: boolean;
}

type Format = (value: number) => string;

export const atLeast = (what: string, value: number, limit: number, format: Format): Verdict => ({
  what,
  found: format(value),
  wanted: `at least ${format(limit)}`,
  met: value >= limit,
});

export const atMost = (what: string, value: number, limit: number, format: Format): Verdict => ({
  what,
  found: format(value),
  wanted: `at most ${format(limit)}`,
  met: value <= limit,
});

export const ratio = (value: number): string => value.toFixed(2);
export const count = (value: number): string => Math.round(value).toLocaleString('en');
export const milliseconds = (value: number): string => `${value.toFixed(value < 100 ? 2 : 0)} ms`;
export const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;
export const megabytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MB`;

const verdictLine = ({ what, found, wanted, met }: Verdict): string =>
  `${met ? 'met   ' : 'MISSED'}  ${what}: ${found} (${wanted})`;

/** One measurement as text. */
export function renderFindings(name: string, { table, notes, verdicts }: Findings): string {
  const sections = [
    `## ${name}`,
    alignRows(table, { left: 1 }).join('\n'),
    notes.map((note) => `- ${note}`).join('\n'),
    verdicts.map(verdictLine).join('\n'),
  ];
  return `${sections.join('\n\n')}\n\n`;
}
