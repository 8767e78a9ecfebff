import { errors, PerchError } from '../../../shared/errors.ts';
import type { LiveItemRecord } from '../../../shared/items/item-record.ts';
import { prefersHtml } from '../http/preferred-type.ts';
import { withoutSecrets } from '../http/query-masking.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { ReadDependencies } from './dependencies.ts';
import { withoutTicket } from './short-url.ts';

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
  await deps.access.allow(context, record, ticketInPath);
  if (deps.itemHosts.modeOf(context, record) === 'path') return null;
  const label = await deps.labels.labelOf(record, context.callContext);
  const origin = deps.itemHosts.originOf(context, label) ?? '';
  const ticket = record.passwordHash === null ? null : deps.entryTickets.issue(record);
  return redirect(record, `${origin}/${restOfPath(context.path)}`, queryOf(context, ticket));
}

/**
 * Authorizes a read on the item's own host. The answer, when there is one, leads a person on: who shows a ticket for one use
 * gets a cookie in its place, who shows nothing comes to the password form, on the service's host, and so does who comes to
 * an item that is served at its path by now. `null`: it is served here.
 * @throws PASSWORD_REQUIRED, PASSWORD_WRONG, RATE_LIMITED
 */
export async function enterByHost(
  deps: ReadDependencies,
  context: RequestContext,
  record: LiveItemRecord,
): Promise<Response | null> {
  const { path, request } = context;
  const atPath = `${context.baseUrl}/${record.namespace}/${record.id}${path === '/' ? '' : path}`;
  if (deps.itemHosts.modeOf(context, record) === 'path')
    return redirect(record, atPath, queryOf(context, null));
  const ticket = context.query().get('ticket');
  const isPerson = prefersHtml(request);
  if (ticket !== null && (await deps.entryTickets.redeem(record, ticket))) {
    if (!isPerson) return null;
    const response = redirect(record, path, queryOf(context, null), 303);
    const isSecure = context.itemHost?.origin.startsWith('https:') === true;
    response.headers.set('Set-Cookie', deps.cookies.issue(record, isSecure, '/'));
    return response;
  }
  try {
    await deps.access.allow(context, record);
    return null;
  } catch (error) {
    const asks = error instanceof PerchError && error.code === 'PASSWORD_REQUIRED';
    const isTab = (request.headers.get('sec-fetch-dest') ?? 'document') === 'document';
    if (!asks || !isPerson || !isTab) throw error;
    return redirect(record, atPath, queryOf(context, null));
  }
}

/** The record, if the host by which a request came is that of its item. @throws GONE in the public namespace, else NOT_FOUND */
export function assertHasHost({ itemHost }: RequestContext, record: LiveItemRecord): void {
  if (itemHost === null || record.label === itemHost.label) return;
  const { namespace, id } = record;
  // The host was that of an earlier item at this address.
  throw namespace === 'public' ? errors.contentGone(namespace, id) : errors.contentNotFound(namespace, id);
}

/** The path behind the item's own, as it was sent. */
function restOfPath(path: string): string {
  const idEnd = path.indexOf('/', path.indexOf('/', 1) + 1);
  return idEnd < 0 ? '' : withoutTicket(path.slice(idEnd + 1));
}

/** The query as it was sent, without secrets: scripts of the item see the address. */
function queryOf({ search }: RequestContext, ticket: string | null): string {
  const parts = [withoutSecrets(search), ticket === null ? '' : `ticket=${ticket}`].filter(Boolean);
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

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
