import type { ItemRef } from '../../../../shared/items/item.ts';
import { isLive } from '../../../../shared/items/item-record.ts';
import type { RequestContext } from '../../http/request-context.ts';
import type { ValidationIssues } from '../../http/validation-issues.ts';
import type { ReadDependencies } from '../../items/dependencies.ts';
import { ITEM_ID, NAMESPACE, parseShortUrl, RESERVED_NAMESPACES } from '../../items/item-address.ts';

/** The item that a report is about; nulls where it names none. */
export interface ReportedItem {
  namespace: string | null;
  id: string | null;
}

const NONE: ReportedItem = { namespace: null, id: null };

/** The namespace and the id that a report names in fields of their own; null for each that it leaves out. */
export function parseNamedItem(fields: Record<string, unknown>, issues: ValidationIssues): ReportedItem {
  const namespace = given(fields.resourceNamespace);
  const id = given(fields.resourceId);
  if (namespace !== null && !isNamespace(namespace))
    issues.add('resourceNamespace', 'is no namespace; correct it, or leave it out.');
  if (id !== null && !isId(id)) issues.add('resourceId', 'is no id of an item; correct it, or leave it out.');
  return { namespace: isNamespace(namespace) ? namespace : null, id: isId(id) ? id : null };
}

const isNamespace = (value: unknown): value is string =>
  typeof value === 'string' && NAMESPACE.test(value) && !RESERVED_NAMESPACES.has(value);

const isId = (value: unknown): value is string => typeof value === 'string' && ITEM_ID.test(value);

/** A blank value counts as left out. */
function given(value: unknown): unknown {
  if (typeof value === 'string') return value.trim() || null;
  return value ?? null;
}

type Dependencies = Pick<
  ReadDependencies,
  'config' | 'itemHosts' | 'labels' | 'domains' | 'lookup' | 'clock'
>;

/**
 * The item that a report names, else the one of its address. Where the report names only a namespace or an id, the address
 * must agree with it. An item that is named need not exist.
 * @throws UNAVAILABLE, TIMEOUT while nobody can tell whose host the address has
 */
export async function findReportedItem(
  deps: Dependencies,
  context: RequestContext,
  named: ReportedItem,
  reportedUrl: string,
): Promise<ReportedItem> {
  if (named.namespace !== null && named.id !== null) return named;
  const item = await itemAt(deps, context, new URL(reportedUrl));
  const agrees = (named.namespace ?? item.namespace) === item.namespace && (named.id ?? item.id) === item.id;
  return agrees ? item : NONE;
}

/** The item at an address: on a host of the service the one that the path names, on a label's host or a verified domain the one that has it, elsewhere none. */
async function itemAt(deps: Dependencies, context: RequestContext, url: URL): Promise<ReportedItem> {
  if (isOwnHost(deps, context, url)) return itemOfPath(url.pathname);
  const { itemHosts, labels, domains } = deps;
  const label = itemHosts.labelIn(nameOf(url));
  if (label !== null) {
    const item = await labels.find(label, context.callContext);
    return item !== null && (await isStillAt(deps, context, item, label)) ? asReported(item) : NONE;
  }
  const domain = domains.nameIn(url.host);
  const holder = domain === null ? null : await domains.ask(domain, context.callContext);
  // Without its TXT record the domain may have changed hands, so it does not count.
  return holder?.isVerified === true ? asReported(holder.item) : NONE;
}

/** Whether the item with a label was the last one at its address: the next one there is not to blame for it. */
async function isStillAt(
  { lookup, clock }: Dependencies,
  { callContext }: RequestContext,
  item: ItemRef,
  label: string,
): Promise<boolean> {
  const { record } = await lookup.find(item, callContext);
  return !isLive(record, clock.now()) || record.label === label;
}

/** The item that an address on one of the service's own hosts names; nulls for every other host. Asks nobody. */
export function itemOfOwnUrl(
  deps: Pick<ReadDependencies, 'config'>,
  context: RequestContext,
  address: string,
): ReportedItem {
  const url = URL.canParse(address) ? new URL(address) : null;
  return url !== null && isOwnHost(deps, context, url) ? itemOfPath(url.pathname) : NONE;
}

/**
 * Whether a host is the one that links begin with, which without BASE_URL is that of this request, or the one of CONTENT_BASE_URL.
 * The scheme and the port may be others, and `www.` may be in front or missing.
 */
const isOwnHost = (
  { config }: Pick<ReadDependencies, 'config'>,
  { baseUrl }: RequestContext,
  url: URL,
): boolean =>
  [baseUrl, config.contentBaseUrl].some(
    (own) => own !== null && withoutWww(nameOf(new URL(own))) === withoutWww(nameOf(url)),
  );

/** The name of a host, without a port and a dot at its end. */
const nameOf = ({ hostname }: URL): string => hostname.replace(/\.$/, '');

const withoutWww = (name: string): string => name.replace(/^www\./, '');

/** Before an item's own path in its address in the API. */
const API_PATH = /^\/api\/(?:html|kv|json|files|sites)(?=\/)/;

function itemOfPath(path: string): ReportedItem {
  const item = parseShortUrl(path.replace(API_PATH, ''));
  return item === null ? NONE : asReported(item);
}

const asReported = ({ namespace, id }: ItemRef): ReportedItem => ({ namespace, id });
