import { domainOrigin } from '../http/domain-origin.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { ReadDependencies } from './dependencies.ts';

/**
 * Notes at a request which item's domain it came to, if any. Asking for a name counts as a read: names can be made up. Returns
 * why it could not be told, for the answer; `null`: it could.
 */
export async function findDomainHost(
  { config, domains, limits }: ReadDependencies,
  context: RequestContext,
  domain: string,
): Promise<unknown> {
  const { customDomains } = config;
  if (customDomains === null) return null;
  context.isAtForeignName = true;
  try {
    let item = domains.known(domain);
    if (item === undefined) {
      limits.refuseKnown(context, 'reads');
      await limits.admit(context, 'reads');
      item = await domains.find(domain, context.callContext);
    }
    if (item !== null)
      context.itemHost = { label: null, domain, origin: domainOrigin(customDomains.own.baseUrl, domain) };
    return null;
  } catch (error) {
    return error;
  }
}
