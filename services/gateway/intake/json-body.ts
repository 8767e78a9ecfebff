import { errors } from '../../../shared/errors.ts';
import type { Exchange } from '../http/exchange.ts';
import { assertJsonDepth } from './json-depth.ts';
import type { MemoryBudget } from './memory-budget.ts';
import { type BodyLimit, readBody } from './read-body.ts';

/** A body that is one of our own JSON objects. @throws JSON_INVALID */
export async function readJsonObject(
  exchange: Exchange,
  limit: BodyLimit,
  budget: MemoryBudget,
): Promise<Record<string, unknown>> {
  return parseObject(await readBody(exchange, limit, budget));
}

/** The same where the body may be left out: an empty one has no fields. @throws JSON_INVALID */
export async function readOptionalJsonObject(
  exchange: Exchange,
  limit: BodyLimit,
  budget: MemoryBudget,
): Promise<Record<string, unknown>> {
  if (exchange.request.body === null) return {};
  const bytes = await readBody(exchange, limit, budget);
  return bytes.length === 0 ? {} : parseObject(bytes);
}

/** Most characters outside of texts, white space not counted: our objects have a few fields. */
const MOST_STRUCTURE = 65_536;

function parseObject(bytes: Uint8Array): Record<string, unknown> {
  const text = decode(bytes);
  // Parsed, a body of brackets takes forty times its bytes, and seconds.
  if (assertJsonDepth(text) > MOST_STRUCTURE) throw errors.jsonInvalid('it has too much besides its texts');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw errors.jsonInvalid(error instanceof Error ? error.message : String(error));
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw errors.jsonInvalid('it is not an object');
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw errors.jsonInvalid('it is not UTF-8');
  }
}
