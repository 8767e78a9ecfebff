import { Elysia } from 'elysia';
import type { CustomDomainSettings } from '../../../../shared/config/hosts.ts';
import { call } from '../../../../shared/contracts/call.ts';
import {
  checkDomain,
  claimDomain,
  type DomainClaim,
  GRACE_DAYS,
  readDomain,
  removeDomain,
} from '../../../../shared/contracts/domains.ts';
import { CHALLENGE_LABEL, CHALLENGE_PREFIX, claimableDomain } from '../../../../shared/domain-names.ts';
import { errors } from '../../../../shared/errors.ts';
import { type ItemRef, itemKey } from '../../../../shared/items/item.ts';
import { resetSeconds, type WindowRule } from '../../../../shared/ports/cache.ts';
import { limited } from '../../admission/limited.ts';
import { FEW_FIELDS, readJsonObject } from '../../admission/read-body.ts';
import { requireOwner } from '../../auth/owner-token.ts';
import { domainOrigin } from '../../http/hosts.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { admitChangeOfAny, findOfAny } from '../../items/authorize.ts';
import type { ItemAddress } from '../../items/find-live-item.ts';
import { instant } from '../../items/serializer.ts';
import { documented } from '../../openapi/documented.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { READ_DOMAIN, REMOVE_DOMAIN, SET_DOMAIN } from './operations.ts';

/** How often name servers are asked for the owner of one item. */
const CHECKS: WindowRule = { name: 'domain-checks', limit: 10, seconds: 3_600 };

const PATH = '/api/:ns/:id/domain';

/** Domains of their own for items of any kind (specification 15.11). */
export const domainRoutes = (deps: UploadDependencies) =>
  new Elysia()
    .use(limited(deps))
    .get(PATH, ({ context, params }) => answerRead(deps, context, params), {
      detail: documented(READ_DOMAIN),
    })
    .put(PATH, ({ context, params }) => answerSet(deps, context, params), {
      parse: 'none',
      detail: documented(SET_DOMAIN),
    })
    .delete(PATH, ({ context, params }) => answerRemoval(deps, context, params), {
      parse: 'none',
      detail: documented(REMOVE_DOMAIN),
    });

async function answerRead(
  deps: UploadDependencies,
  context: RequestContext,
  address: ItemAddress,
): Promise<Response> {
  const settings = requireDomains(deps);
  const record = await findOfAny(deps, context, address);
  const ownerHash = requireOwner(context, record);
  const { namespace, id } = record;
  const { claim } = await call(deps.bus, readDomain, { namespace, id, ownerHash }, context.callContext);
  if (claim === null) throw errors.domainNotFound(namespace, id);
  return forOwner(deps, settings, { namespace, id }, claim);
}

async function answerSet(
  deps: UploadDependencies,
  context: RequestContext,
  address: ItemAddress,
): Promise<Response> {
  const settings = requireDomains(deps);
  const { owned } = await admitChangeOfAny(deps, context, address);
  const fields = await readJsonObject(context, FEW_FIELDS, deps.budget);
  const asked =
    typeof fields.domain === 'string'
      ? claimableDomain(fields.domain, settings.own)
      : { issue: 'must be the name of a host, such as "www.example.org".' };
  if ('issue' in asked) throw errors.validationFailed([{ field: 'domain', message: asked.issue }]);
  const input = { ...owned, domain: asked.domain };
  const { claim, isNew } = await call(deps.bus, claimDomain, input, context.callContext);
  if (isNew) return forOwner(deps, settings, owned, claim);
  const window = await deps.cache.hit(CHECKS, itemKey(owned));
  if (window.hits > CHECKS.limit) throw errors.domainChecksSpent(resetSeconds(window));
  const checked = await call(deps.bus, checkDomain, owned, context.callContext);
  return forOwner(deps, settings, owned, checked.claim);
}

async function answerRemoval(
  deps: UploadDependencies,
  context: RequestContext,
  address: ItemAddress,
): Promise<Response> {
  requireDomains(deps);
  const { owned } = await admitChangeOfAny(deps, context, address);
  const { removed } = await call(deps.bus, removeDomain, owned, context.callContext);
  if (!removed) throw errors.domainNotFound(owned.namespace, owned.id);
  return new Response(null, { status: 204 });
}

/** @throws DOMAINS_DISABLED */
function requireDomains({ config }: UploadDependencies): CustomDomainSettings {
  if (config.customDomains === null) throw errors.domainsDisabled();
  return config.customDomains;
}

function forOwner(
  { config }: UploadDependencies,
  { own, target }: CustomDomainSettings,
  { namespace, id }: ItemRef,
  { domain, token, state, finding, ...times }: DomainClaim,
): Response {
  const { claimedAt, checkedAt, verifiedAt, lostAt } = times;
  const maybe = (moment: number | null): string | null => (moment === null ? null : instant(moment));
  const fields = {
    namespace,
    id,
    domain,
    state,
    url: `${domainOrigin(own.baseUrl, domain)}/`,
    record: { type: 'TXT', name: `${CHALLENGE_LABEL}.${domain}`, value: `${CHALLENGE_PREFIX}${token}` },
    target,
    finding,
    claimedAt: instant(claimedAt),
    checkedAt: maybe(checkedAt),
    verifiedAt: maybe(verifiedAt),
    lostAt: maybe(lostAt),
    removedAt: maybe(lostAt === null ? null : lostAt + GRACE_DAYS * config.ttlDayMs),
  };
  return Response.json(fields, { headers: { 'Cache-Control': 'private, no-store' } });
}
