import type { ItemRef } from '../../../shared/items/item.ts';
import { ITEM_ID, NAMESPACE, RESERVED_NAMESPACES } from '../intake/addresses.ts';

/** An address below the service's root that names an item, and what of it is asked for. */
export interface ShortUrl extends ItemRef {
  /** The rest of the path behind the item's own, percent-encoded; `null` when there is none. */
  sub: string | null;
}

/** The item that a path names, or `null` when the path is not a short URL. */
export function parseShortUrl(path: string): ShortUrl | null {
  const idStart = path.indexOf('/', 1) + 1;
  if (idStart === 0) return null;
  const namespace = segmentOf(path.slice(1, idStart - 1), NAMESPACE);
  if (namespace === null || RESERVED_NAMESPACES.has(namespace)) return null;
  const idEnd = path.indexOf('/', idStart);
  const id = segmentOf(path.slice(idStart, idEnd < 0 ? undefined : idEnd), ITEM_ID);
  if (id === null) return null;
  return { namespace, id, sub: idEnd < 0 ? null : path.slice(idEnd + 1) };
}

/** A segment of a form, percent-decoded where it is encoded; `null` when it is not of that form. */
function segmentOf(encoded: string, form: RegExp): string | null {
  if (form.test(encoded)) return encoded;
  const text = decoded(encoded);
  return text !== null && form.test(text) ? text : null;
}

function decoded(text: string): string | null {
  if (!text.includes('%') || text.length > 300) return null;
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
