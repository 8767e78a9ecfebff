import { errors } from '../../../shared/errors.ts';
import { assertJsonDepth, decodeJson, parseJsonObject } from '../http/json.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { MemoryBudget } from './memory-budget.ts';
import { type BodyLimit, readBody } from './read-body.ts';

/** A body that is one of our own JSON objects. @throws JSON_INVALID */
export async function readJsonObject(
  context: RequestContext,
  limit: BodyLimit,
  budget: MemoryBudget,
): Promise<Record<string, unknown>> {
  return parseObject(await readBody(context, limit, budget));
}

/** Reads a body that is one of our own JSON objects, or none: without a body the object is empty. @throws JSON_INVALID */
export async function readOptionalJsonObject(
  context: RequestContext,
  limit: BodyLimit,
  budget: MemoryBudget,
): Promise<Record<string, unknown>> {
  if (context.request.body === null) return {};
  const bytes = await readBody(context, limit, budget);
  return bytes.length === 0 ? {} : parseObject(bytes);
}

/** Most characters outside of texts, white space not counted: our objects have a few fields. */
const MOST_STRUCTURE = 65_536;

function parseObject(bytes: Uint8Array): Record<string, unknown> {
  const text = decodeJson(bytes);
  // Parsed, a body of brackets takes forty times its bytes, and seconds.
  if (assertJsonDepth(text) > MOST_STRUCTURE) throw errors.jsonInvalid('it has too much besides its texts');
  return parseJsonObject(text);
}
