import { createSlices } from './in-slices.ts';
import type { JsonIndex } from './json-index.ts';

/** Most matches that are listed; whoever finds more asks for something more precise. */
export const MOST_MATCHES = 10_000;

/**
 * The values whose name or own text has a text in it, any case, in the order of the document. Works in slices; `null` when it was not wanted
 * any more.
 */
export async function searchJson(
  index: JsonIndex,
  text: string,
  isWanted: () => boolean,
): Promise<number[] | null> {
  const wanted = text.toLowerCase();
  const goesOn = createSlices(isWanted);
  const found: number[] = [];
  for (let node = 0; node < index.size && found.length < MOST_MATCHES; node++) {
    if (has(index, node, wanted)) found.push(node);
    if (node % 256 === 0 && !(await goesOn())) return null;
  }
  return found;
}

function has(index: JsonIndex, node: number, wanted: string): boolean {
  if (index.key(node)?.toLowerCase().includes(wanted)) return true;
  const type = index.type(node);
  if (type === 'object' || type === 'array') return false;
  const source = index.source(node);
  const text = type === 'string' && source.includes('\\') ? String(JSON.parse(source)) : source;
  return text.toLowerCase().includes(wanted);
}
