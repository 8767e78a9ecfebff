import { errors } from '../../../shared/errors.ts';
import { itemKey, PUBLIC_NAMESPACE } from '../../../shared/items/item.ts';
import type { LiveItemRecord } from '../../../shared/items/item-record.ts';
import { PerchError } from '../../../shared/perch-error.ts';
import { domainOrigin } from '../http/hosts.ts';
import { prefersHtml } from '../http/preferred-type.ts';
import { withoutSecrets } from '../http/query-masking.ts';
import type { RequestContext } from '../http/request-context.ts';
import { allowRead } from './authorize.ts';
import type { ReadDependencies } from './dependencies.ts';
import { withoutTicket } from './item-address.ts';

/**
 * Authorizes a read at the item's path (specification 2.9). The answer, when the item is served on a host of its own, leads
 * there without the password; a ticket for one use opens a protected item there. `null`: it is served here.
 * @throws PASSWORD_REQUIRED, PASSWORD_WRONG, RATE_LIMITED
 */
export async function enterByPath(
  deps: ReadDependencies,
  context: RequestContext,
  record: LiveItemRecord,
  ticketInPath: string | null,
): Promise<Response | null> {
  const domain = await domainAskedFor(deps, context, record);
  context.formsLeadTo = domain;
  await allowRead(deps, context, record, ticketInPath);
  if (domain === null && deps.itemHosts.modeOf(context, record) === 'path') return null;
  const origin = domain ?? (await ownOrigin(deps, context, record));
  const ticket = record.passwordHash === null ? null : deps.entryTickets.issue(record);
  return redirect(record, `${origin}/${restOfPath(context.path)}`, queryOf(context, ticket));
}

/**
 * Authorizes a read on the item's own host. The answer redirects if needed: a person's one-time ticket becomes a cookie; a person
 * without proof goes to the password form; the reader of an item that is served at its path goes there. `null`: serve it here.
 * @throws PASSWORD_REQUIRED, PASSWORD_WRONG, RATE_LIMITED
 */
export async function enterByHost(
  deps: ReadDependencies,
  context: RequestContext,
  record: LiveItemRecord,
): Promise<Response | null> {
  const { path, request } = context;
  const atPath = `${context.baseUrl}/${record.namespace}/${record.id}${path === '/' ? '' : path}`;
  const domain = context.itemHost?.by === 'domain' ? context.itemHost.domain : null;
  if (domain === null && deps.itemHosts.modeOf(context, record) === 'path')
    return redirect(record, atPath, queryOf(context, null));
  const ticket = context.query().get('ticket');
  const isPerson = prefersHtml(request);
  if (ticket !== null && (await redeem(deps, context, record, ticket))) {
    if (!isPerson) return null;
    const origin = context.itemHost?.origin ?? '';
    const isSecure = origin.startsWith('https:');
    // A path with two slashes in front, alone, would lead to another host.
    const response = redirect(record, `${origin}/${withoutSlashes(path)}`, queryOf(context, null), 303);
    if (!context.isHead) response.headers.set('Set-Cookie', deps.cookies.issue(record, isSecure, '/'));
    return response;
  }
  try {
    await allowRead(deps, context, record);
    return null;
  } catch (error) {
    const asks = error instanceof PerchError && error.code === 'PASSWORD_REQUIRED';
    const isTab = (request.headers.get('sec-fetch-dest') ?? 'document') === 'document';
    if (!asks || !isPerson || !isTab) throw error;
    const back = domain === null ? '' : `${DOMAIN_PARAMETER}=${domain}`;
    return redirect(record, atPath, queryOf(context, null, back));
  }
}

/** Whether the request's ticket opens the item. One read may ask more than once, as when content has just been replaced. */
async function redeem(
  { entryTickets }: ReadDependencies,
  context: RequestContext,
  record: LiveItemRecord,
  ticket: string,
): Promise<boolean> {
  const opened = `${record.code} ${record.passwordHash}`;
  if (context.openedByTicket === opened) return true;
  if (!(await entryTickets.redeem(record, ticket, context.isHead))) return false;
  context.openedByTicket = opened;
  return true;
}

/** Parameter of the address of a password form: the domain at which the item was asked for. */
const DOMAIN_PARAMETER = 'at';

/**
 * The origin of the item's own domain, where the reader came from there to the password form; `null`: from elsewhere, or the
 * domain has lost its TXT record. Then it may have changed hands, and its new holder would read the item with a ticket.
 */
async function domainAskedFor(
  { config, domains }: ReadDependencies,
  context: RequestContext,
  record: LiveItemRecord,
): Promise<string | null> {
  const { domain } = record;
  const { customDomains } = config;
  if (domain === undefined || customDomains === null) return null;
  if (context.query().get(DOMAIN_PARAMETER) !== domain) return null;
  const holder = await domains.ask(domain, context.callContext);
  const isProven = holder?.isVerified === true && itemKey(holder.item) === itemKey(record);
  return isProven ? domainOrigin(customDomains.own.baseUrl, domain) : null;
}

async function ownOrigin(
  { labels, itemHosts }: ReadDependencies,
  context: RequestContext,
  record: LiveItemRecord,
): Promise<string> {
  return itemHosts.originOf(context, await labels.labelOf(record, context.callContext)) ?? '';
}

/** Refuses a request that came by an item's own host which is not this item's any more. @throws GONE in the public namespace, else NOT_FOUND */
export function assertHasHost({ itemHost }: RequestContext, record: LiveItemRecord): void {
  if (itemHost === null) return;
  if (itemHost.by === 'label' ? record.label === itemHost.label : record.domain === itemHost.domain) return;
  const { namespace, id } = record;
  // The host was that of an earlier item at this address.
  throw namespace === PUBLIC_NAMESPACE
    ? errors.contentGone(namespace, id)
    : errors.contentNotFound(namespace, id);
}

/** A path without the slashes in front, and the backslashes that browsers take for some. */
const withoutSlashes = (path: string): string => path.replace(/^[/\\]+/, '');

/** The path behind the item's own, as it was sent. */
function restOfPath(path: string): string {
  const idEnd = path.indexOf('/', path.indexOf('/', 1) + 1);
  return idEnd < 0 ? '' : withoutTicket(path.slice(idEnd + 1));
}

/** The query as it was sent, without secrets: scripts of the item see the address. */
function queryOf({ search, formsLeadTo }: RequestContext, ticket: string | null, back = ''): string {
  const open = withoutSecrets(search);
  const own = formsLeadTo === null ? open : withoutParameter(open, DOMAIN_PARAMETER);
  const parts = [own, back, ticket === null ? '' : `ticket=${ticket}`].filter(Boolean);
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

const withoutParameter = (search: string, name: string): string =>
  search
    .split('&')
    .filter((pair) => pair.split('=', 1)[0] !== name)
    .join('&');

function redirect(record: LiveItemRecord, address: string, query: string, status: 302 | 303 = 302): Response {
  const isProtected = record.passwordHash !== null;
  return new Response(null, {
    status,
    headers: {
      Location: `${address}${query}`,
      'Cache-Control': isProtected ? 'private, no-store' : 'no-store',
    },
  });
}
