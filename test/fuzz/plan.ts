import type { Wanted } from './item-pool.ts';

/**
 * A request that was generated, but for what is only known when it is sent: the address and the secrets of the item it
 * is for, whose `{name}`s stand in its path, query, headers and body.
 */
export interface Plan {
  /** Path template of the operation that it was made for. */
  template: string;
  method: string;
  wanted: Wanted | null;
  /** Parts of the path in place of the item's, percent-encoded. */
  parts: Record<string, string>;
  /** Behind the path. */
  tail: string;
  /** Percent-encoded. */
  query: string[];
  headers: Array<[name: string, value: string]>;
  body: PlannedBody | null;
  /** In what it differs from a request as documented; `null` when in nothing. */
  change: string | null;
  /** By the document: whether such a request succeeds. `any` where the document leaves it open. */
  expected: 'accepted' | 'refused' | 'any';
}

export interface PlannedBody {
  /** Content-Type; `null` when there is none. */
  type: string | null;
  bytes: Uint8Array;
}

/** A parameter of the query, percent-encoded; `{name}`s stay as they are. */
export const queryPart = (name: string, value: string): string =>
  `${encodeURIComponent(name)}=${/^\{\w+\}$/.test(value) ? value : encodeURIComponent(value.toWellFormed())}`;
