import { errors } from '../../../shared/errors.ts';
import { LIMITS } from '../../../shared/items/item.ts';
import type { Exchange } from '../http/exchange.ts';
import { assertJsonDepth } from './json-depth.ts';
import type { MemoryBudget } from './memory-budget.ts';
import { readBody } from './read-body.ts';

/** A JSON document as it arrived, and its beginning for lists. */
export interface DocumentBody {
  bytes: Uint8Array;
  excerpt: string;
}

/** Characters of a document that lists show (shapes.md, JSON: 1 KB of text). */
const EXCERPT_CHARACTERS = 1024;

/**
 * A body that is the document itself, whatever its Content-Type says: checked, and kept byte for byte.
 * @throws TOO_LARGE, JSON_INVALID
 */
export async function readDocument(exchange: Exchange, budget: MemoryBudget): Promise<DocumentBody> {
  const tooLarge = () => errors.tooLarge('The document', LIMITS.jsonBytes);
  const bytes = await readBody(exchange, { bytes: LIMITS.jsonBytes, tooLarge }, budget);
  const text = decode(bytes);
  assertJsonDepth(text);
  try {
    JSON.parse(text);
  } catch (error) {
    throw errors.jsonInvalid(error instanceof Error ? error.message : String(error));
  }
  return { bytes, excerpt: beginningOf(text) };
}

/** A character outside of the basic plane is two units of a text: never cut between them. */
const beginningOf = (text: string): string =>
  text.slice(0, EXCERPT_CHARACTERS).replace(/[\ud800-\udbff]$/, '');

function decode(bytes: Uint8Array): string {
  if (bytes.length === 0) throw errors.jsonInvalid('it is empty');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw errors.jsonInvalid('it is not UTF-8');
  }
}
