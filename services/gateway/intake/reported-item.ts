import type { ItemRef } from '../../../shared/items/item.ts';
import { parseShortUrl } from '../resolve/short-url.ts';
import { ITEM_ID, NAMESPACE, RESERVED_NAMESPACES } from './addresses.ts';
import type { Faults } from './faults.ts';

/** The item that a report names besides the address; `null` when it names none. Whether it is there is not asked. */
export function parseNamedItem(fields: Record<string, unknown>, faults: Faults): ItemRef | null {
  const namespace = given(fields.resourceNamespace);
  const id = given(fields.resourceId);
  if (namespace === null && id === null) return null;
  const isNamespace =
    typeof namespace === 'string' && NAMESPACE.test(namespace) && !RESERVED_NAMESPACES.has(namespace);
  const isId = typeof id === 'string' && ITEM_ID.test(id);
  if (isNamespace && isId) return { namespace, id };
  if (!isNamespace) {
    faults.add(
      'VALIDATION_FAILED',
      'resourceNamespace',
      'must be the namespace of the item that resourceId names; or leave out both.',
    );
  }
  if (!isId) {
    faults.add(
      'VALIDATION_FAILED',
      'resourceId',
      'must be the id of an item in the namespace that resourceNamespace names; or leave out both.',
    );
  }
  return null;
}

/** What is blank counts as left out. */
function given(value: unknown): unknown {
  if (typeof value === 'string') return value.trim() || null;
  return value ?? null;
}

/** Before an item's own path in its address in the API. */
const API_PATH = /^\/api\/(?:html|kv|json|files|sites)(?=\/)/;

/** The item that an address names, whatever its host: the service may have more names than it knows of. */
export function itemOfUrl(url: string): { namespace: string | null; id: string | null } {
  const path = URL.canParse(url) ? new URL(url).pathname : '';
  const item = parseShortUrl(path.replace(API_PATH, ''));
  return { namespace: item?.namespace ?? null, id: item?.id ?? null };
}
