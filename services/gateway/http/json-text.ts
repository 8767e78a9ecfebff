import { errors } from '../../../shared/errors.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @param decoder a fatal one @throws JSON_INVALID */
export function decodeJson(bytes: Uint8Array, decoder = utf8): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw errors.jsonInvalid('it is not UTF-8');
  }
}

/** @throws JSON_INVALID */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw errors.jsonInvalid(error instanceof Error ? error.message : String(error));
  }
}

/** @throws JSON_INVALID, also for a value that is not an object */
export function parseJsonObject(text: string): Record<string, unknown> {
  const value = parseJson(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw errors.jsonNotAnObject();
}
