import { errors } from '../../../../shared/errors.ts';
import { LIMITS } from '../../../../shared/items/item.ts';
import type { MemoryBudget } from '../../admission/memory-budget.ts';
import { readBody } from '../../admission/read-body.ts';
import { assertJsonDepth, decodeJson, parseJson } from '../../http/json.ts';
import type { RequestContext } from '../../http/request-context.ts';

/** The document of the examples. */
export const DOCUMENT = { name: 'Perch', launched: true, cities: ['Berlin', 'Lisbon'] };

/** A JSON document as it arrived, and its beginning for lists. */
export interface DocumentBody {
  bytes: Uint8Array;
  excerpt: string;
}

/** Bytes of a document that lists show (specification 6.4). */
const EXCERPT_BYTES = 1_024;

/** A byte order mark stays: it is no JSON, and the parser says so. */
const WITH_MARK = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const encoder = new TextEncoder();

/**
 * A body that is the document itself, whatever its Content-Type says: checked, and kept byte for byte.
 * @throws TOO_LARGE, JSON_INVALID
 */
export async function readDocument(context: RequestContext, budget: MemoryBudget): Promise<DocumentBody> {
  const tooLarge = () => errors.tooLarge('The document', LIMITS.jsonBytes);
  const bytes = await readBody(context, { bytes: LIMITS.jsonBytes, tooLarge }, budget);
  if (bytes.length === 0) throw errors.jsonInvalid('it is empty');
  const text = decodeJson(bytes, WITH_MARK);
  assertJsonDepth(text);
  parseJson(text);
  return { bytes, excerpt: beginningOf(text) };
}

/** As many whole characters as fit. */
const beginningOf = (text: string): string =>
  text.slice(0, encoder.encodeInto(text, new Uint8Array(EXCERPT_BYTES)).read);
