import { errors } from '../../../shared/errors.ts';
import { type ItemRef, itemKey } from '../../../shared/items/item.ts';
import { PerchError } from '../../../shared/perch-error.ts';
import { domainOrigin, type ItemHost, isLabel } from '../http/hosts.ts';
import { refuseNeighbourFrame } from '../http/own-page.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { ReadDependencies } from './dependencies.ts';
import { decodedPart, type ShortUrl } from './item-address.ts';
import { type Responders, resolveShortUrl } from './resolve-short-url.ts';

/**
 * Answers a GET on an item's own host (specification 2.9), where every path belongs to the item.
 * @throws NOT_FOUND, also for a host that no item has
 */
export async function answerItemHost(
  deps: ReadDependencies,
  responders: Responders,
  context: RequestContext,
  host: ItemHost,
): Promise<Response> {
  refuseNeighbourFrame(context);
  const known = host.by === 'label' ? deps.labels.known(host.label) : deps.domains.known(host.domain);
  const item = known ?? (await findByLabel(deps, context, host));
  const sub = context.path === '/' ? null : decodedPart(context.path.slice(1));
  const read = { ...item, sub, ticket: null };
  const isAdmitted = context.isReadCounted || known === null || known === undefined;
  const answer = async (at: ShortUrl, counted: boolean): Promise<Response> => {
    try {
      return await resolveShortUrl(deps, responders, context, at, counted);
    } catch (error) {
      context.clearsSiteData = context.item === null && isOneOf(error, TAKEN_DOWN);
      throw error;
    }
  };
  try {
    return await answer(read, isAdmitted);
  } catch (error) {
    // A domain goes from item to item, unlike a label.
    if (host.by === 'label' || context.item !== null || !isOneOf(error, GONE)) throw error;
    const holder = await deps.domains.ask(host.domain, context.callContext);
    if (holder === null || itemKey(holder.item) === itemKey(read)) throw error;
    context.clearsSiteData = false;
    return await answer({ ...read, ...holder.item }, true);
  }
}

/** Errors of an item that is not there, or not at this host. */
const GONE: readonly string[] = ['GONE', 'NOT_FOUND'];

/** Errors after which browsers keep nothing of the host; an item that is only looked through is soon there again. */
const TAKEN_DOWN: readonly string[] = [...GONE, 'QUARANTINED'];

const isOneOf = (error: unknown, codes: readonly string[]): boolean =>
  error instanceof PerchError && codes.includes(error.code);

/**
 * Asks for the item with a label, which counts as a read: labels can be made up. Domains have been asked for before
 * (`findDomainHost`).
 */
async function findByLabel(
  deps: ReadDependencies,
  context: RequestContext,
  host: ItemHost,
): Promise<ItemRef> {
  deps.limits.refuseKnown(context, 'reads');
  await deps.limits.admit(context, 'reads');
  const item =
    host.by === 'label' && isLabel(host.label)
      ? await deps.labels.find(host.label, context.callContext)
      : null;
  if (item !== null) return item;
  context.clearsSiteData = true;
  throw errors.routeNotFound(context.path);
}

/**
 * Notes at a request which item's domain it came to, if any. Asking for a name counts as a read: names can be made up.
 * @param isLimited whether RATE_LIMITED is thrown; otherwise a request over the limit is treated as one to the service's own host
 * @throws what the look-up throws; RATE_LIMITED only with `isLimited`
 */
export async function findDomainHost(
  { config, domains, limits }: ReadDependencies,
  context: RequestContext,
  domain: string,
  isLimited: boolean,
): Promise<void> {
  const { customDomains } = config;
  if (customDomains === null) return;
  context.isAtForeignName = true;
  try {
    let item = domains.known(domain);
    if (item === undefined) {
      await limits.admit(context, 'reads');
      context.isReadCounted = true;
      item = await domains.find(domain, context.callContext);
    }
    if (item !== null)
      context.itemHost = { by: 'domain', domain, origin: domainOrigin(customDomains.own.baseUrl, domain) };
  } catch (error) {
    if (isLimited || !isOneOf(error, ['RATE_LIMITED'])) throw error;
  } finally {
    if (!isLimited) context.rateHeaders = null;
  }
}
