import type { Judgement } from './ledger.ts';

/** Kinds of violations. */
export type FindingKind =
  /** An acknowledged write is not there. */
  | 'lost'
  | Exclude<Judgement, 'right' | 'older'>
  /** Parts of different versions are there together. */
  | 'half'
  /** A read went back behind what was acknowledged although nothing was broken. */
  | 'stale'
  /** An answer that is not documented, or that cannot be right. */
  | 'answer'
  /** A request outlived its deadline. */
  | 'late'
  /** A connection broke although no gateway was hit. */
  | 'broken-off'
  /** A request was refused although all was well. */
  | 'refused'
  | 'not-recovered'
  | 'blobs'
  | 'rows'
  | 'views'
  | 'access-log'
  | 'listed';

/** A fault that was found in Perch. */
export interface Finding {
  kind: FindingKind;
  /** The number of the cycle; 0: of none, found at the end. */
  cycle: number;
  /** The fault under which it was seen: `redis kill`. */
  during: string;
  text: string;
}

export type Note = (kind: FindingKind, text: string) => void;
