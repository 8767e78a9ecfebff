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
