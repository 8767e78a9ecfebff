import type { ValidationIssues } from '../../http/validation-issues.ts';
import { ITEM_ID, NAMESPACE, RESERVED_NAMESPACES } from '../../items/item-address.ts';
import { parseShortUrl } from '../../items/short-url.ts';

/** The item that a report is about; nulls where it names none. */
export interface ReportedItem {
  namespace: string | null;
  id: string | null;
}

/**
 * The item that a report names, else the one of its address. Where the report names only a namespace or an id, the address
 * must agree with it. Does not check that the item exists.
 */
export function parseReportedItem(
  fields: Record<string, unknown>,
  reportedUrl: string,
  issues: ValidationIssues,
): ReportedItem {
  const namespace = given(fields.resourceNamespace);
  const id = given(fields.resourceId);
  if (namespace !== null && !isNamespace(namespace))
    issues.add('VALIDATION_FAILED', 'resourceNamespace', 'is no namespace; correct it, or leave it out.');
  if (id !== null && !isId(id))
    issues.add('VALIDATION_FAILED', 'resourceId', 'is no id of an item; correct it, or leave it out.');
  if (isNamespace(namespace) && isId(id)) return { namespace, id };
  const item = itemOfUrl(reportedUrl);
  const isSame = (namespace ?? item.namespace) === item.namespace && (id ?? item.id) === item.id;
  return isSame ? item : { namespace: null, id: null };
}

const isNamespace = (value: unknown): value is string =>
  typeof value === 'string' && NAMESPACE.test(value) && !RESERVED_NAMESPACES.has(value);

const isId = (value: unknown): value is string => typeof value === 'string' && ITEM_ID.test(value);

/** A blank value counts as left out. */
function given(value: unknown): unknown {
  if (typeof value === 'string') return value.trim() || null;
  return value ?? null;
}

/** Before an item's own path in its address in the API. */
const API_PATH = /^\/api\/(?:html|kv|json|files|sites)(?=\/)/;

/** The item that an address names, whatever its host: the service may have more names than it knows of. */
export function itemOfUrl(url: string): ReportedItem {
  const path = URL.canParse(url) ? new URL(url).pathname : '';
  const item = parseShortUrl(path.replace(API_PATH, ''));
  return { namespace: item?.namespace ?? null, id: item?.id ?? null };
}
