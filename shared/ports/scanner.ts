import { errors } from '../errors.ts';
import { PerchError } from '../perch-error.ts';

/** The result of looking through one content. */
export type Verdict =
  | { result: 'clean' }
  /** `signature` is the scanner's name for what it found. */
  | { result: 'found'; signature: string }
  /** No verdict is possible: the content is larger than the scanner takes. */
  | { result: 'unscannable'; reason: string };

/**
 * Looks through content for malware. When the scanner is away, has no place free, or is late, every operation throws
 * `UNAVAILABLE`: the content is neither clean nor not.
 */
export interface Scanner {
  /**
   * Looks through content that arrives in pieces. Of content that it refuses it reads no more than it must.
   * @param limitMs how long it may take, the wait for a place included
   * @param client on whose behalf: clients take turns where there is no place for all
   */
  scan(content: AsyncIterable<Uint8Array>, limitMs: number, client?: string): Promise<Verdict>;
  /** The scanner and its signatures, as it calls them. */
  version(): Promise<string>;
  /** Resolves when the scanner answers. */
  check(): Promise<void>;
}

/** The scanner answers, but has no verdict about this content: of another one it may have. */
class ContentRefused extends Error {}

/** @param answer the words of the scanner */
export const contentRefused = (answer: string): PerchError =>
  errors.unavailable('scanner', new ContentRefused(answer));

export const isContentRefused = (error: unknown): boolean =>
  error instanceof PerchError && error.cause instanceof ContentRefused;
