import { errors } from '../../../../shared/errors.ts';
import { LIMITS } from '../../../../shared/items/item.ts';
import type { MemoryBudget } from '../../admission/memory-budget.ts';
import { readBody } from '../../admission/read-body.ts';
import { parseChangeOf } from '../../http/conditional.ts';
import { readIfAbsent } from '../../http/if-absent.ts';
import { assertJsonDepth } from '../../http/json-depth.ts';
import { decodeJson, parseJson } from '../../http/json-text.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { byOwner } from '../../openapi/item-operations.ts';
import type { ExampleRequest } from '../../openapi/operation.ts';

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

/**
 * The ETags, without quotes, one of which a document must have for its replacement or removal (RFC 9110, section 13.1).
 * `null`: any, also for `*`, as the document is there by then. For that reason `If-None-Match: *` always fails.
 * @throws PRECONDITION_FAILED, VALIDATION_FAILED
 */
export function readCondition(request: Request): string[] | null {
  if (readIfAbsent(request)) throw errors.jsonTaken();
  return parseChangeOf(request);
}

/** Example requests of a replacement or removal: without a condition, and with each. */
export function conditionalRequests(
  status: number,
  body: Pick<ExampleRequest, 'body'> = {},
): ExampleRequest[] {
  const { needs, headers } = byOwner('document');
  const request = (summary: string, expected: number, condition: Record<string, string>) => ({
    ...{ summary, status: expected, needs, headers: { ...headers, ...condition }, ...body },
  });
  return [
    request('A document', status, {}),
    request('Only the version that was read', status, { 'If-Match': '{etag}' }),
    request('Another version than there is', 412, { 'If-Match': '"another"' }),
    request('Not if it is there', 412, { 'If-None-Match': '*' }),
  ];
}
