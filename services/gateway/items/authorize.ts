import { errors } from '../../../shared/errors.ts';
import type { Kind } from '../../../shared/items/item.ts';
import type { ItemRecordOf, LiveItemRecord } from '../../../shared/items/item-record.ts';
import type { RateLimitName } from '../admission/rate-limits.ts';
import { isOwner, ownerTokenOf, requireOwner } from '../auth/owner-token.ts';
import type { RequestContext } from '../http/request-context.ts';
import { headerText } from '../http/text.ts';
import type { ReadDependencies } from './dependencies.ts';
import { type FindOptions, findLive, findLiveItem, type ItemAddress, refOf } from './find-live-item.ts';
import { retryStaleRecord } from './retry-stale-record.ts';

/** The item that an owner is allowed to change: its record, and its address with the owner's hash for the service. */
interface OwnedRecord<K extends Kind> {
  record: ItemRecordOf<K>;
  owned: OwnedAddress;
}

/** Names an item and its owner to a service. */
export interface OwnedAddress {
  namespace: string;
  id: string;
  ownerHash: string;
}

/**
 * The item that a request may change: it is there, then the token is its owner's (specification 12.3).
 * @throws RATE_LIMITED, NOT_FOUND, OWNER_TOKEN_REQUIRED, OWNER_TOKEN_WRONG
 */
export async function admitChange<K extends Kind>(
  deps: ReadDependencies,
  context: RequestContext,
  kind: K,
  address: ItemAddress,
): Promise<OwnedRecord<K>> {
  const { record } = await findAdmitted(deps, context, 'changes', address, (visited) =>
    findLive(deps, context, kind, address, { isExpected: mayBeOwned(context), visited }),
  );
  return { record, owned: ownedBy(context, record) };
}

/** `admitChange` where the address does not name the kind. */
export async function admitChangeOfAny(
  deps: ReadDependencies,
  context: RequestContext,
  address: ItemAddress,
): Promise<{ kind: Kind; owned: OwnedAddress }> {
  const { record } = await findAdmitted(deps, context, 'changes', address, (visited) =>
    findLiveItem(deps, context, address, { isExpected: mayBeOwned(context), visited }),
  );
  return { kind: record.kind, owned: ownedBy(context, record) };
}

/** Whether the request's token owns a record. True without a token too: such a request is refused whatever the record. */
const mayBeOwned =
  (context: RequestContext) =>
  (record: LiveItemRecord): boolean =>
    isOwner(context, record.ownerHash) || ownerTokenOf(context) === null;

function ownedBy(context: RequestContext, record: LiveItemRecord): OwnedAddress {
  const ownerHash = requireOwner(context, record);
  return { namespace: record.namespace, id: record.id, ownerHash };
}

/** The item that a request may read, without counting a view. */
export async function admitRead<K extends Kind>(
  deps: ReadDependencies,
  context: RequestContext,
  kind: K,
  address: ItemAddress,
): Promise<FoundItem<K>> {
  const found = await findAdmitted(deps, context, 'reads', address, (visited) =>
    findLive(deps, context, kind, address, { visited }),
  );
  await allowRead(deps, context, found.record);
  return found;
}

/** Answers a read that `allow` lets through, by the current record where the cached one was stale (`retryStaleRecord`). */
export async function answerRead<K extends Kind>(
  deps: ReadDependencies,
  context: RequestContext,
  kind: K,
  address: ItemAddress,
  answer: (found: FoundItem<K>) => Promise<Response>,
  allow: (record: ItemRecordOf<K>) => Promise<void> = (record) => allowRead(deps, context, record),
): Promise<Response> {
  const found = await findAdmitted(deps, context, 'reads', address, (visited) =>
    findLive(deps, context, kind, address, { visited }),
  );
  await allow(found.record);
  return await retryStaleRecord(
    deps,
    context,
    found,
    () => answer(found),
    async () => {
      const newer = await findLive(deps, context, kind, address);
      await allow(newer.record);
      return await answer(newer);
    },
  );
}

/** `answerRead` for what only the item's owner may read. @throws OWNER_TOKEN_REQUIRED, OWNER_TOKEN_WRONG */
export const answerOwnRead = <K extends Kind>(
  deps: ReadDependencies,
  context: RequestContext,
  kind: K,
  address: ItemAddress,
  answer: (found: FoundItem<K>) => Promise<Response>,
): Promise<Response> =>
  answerRead(deps, context, kind, address, answer, async (record) => {
    requireOwner(context, record);
  });

interface FoundItem<K extends Kind> {
  record: ItemRecordOf<K>;
  views: number;
}

/** The item at an address that does not name the kind, for what needs no password; counts as a read, but as no view. */
export async function findOfAny(
  deps: ReadDependencies,
  context: RequestContext,
  address: ItemAddress,
): Promise<LiveItemRecord> {
  const { record } = await findAdmitted(deps, context, 'reads', address, (visited) =>
    findLiveItem(deps, context, address, { visited }),
  );
  return record;
}

/**
 * Finds an item after the rate limit: a client above it causes no look-up. Only the cache is asked for it beforehand, in
 * the round trip that counts the request.
 */
async function findAdmitted<Found>(
  { limits, lookup }: ReadDependencies,
  context: RequestContext,
  limited: RateLimitName,
  address: ItemAddress,
  find: (visited: FindOptions['visited']) => Promise<Found>,
): Promise<Found> {
  const counted = context.fastPathWrite?.counted ?? null;
  if (counted !== null) {
    await limits.admit(context, limited, counted.window);
    return await find(counted.visit);
  }
  limits.refuseKnown(context, limited);
  const item = refOf(address);
  const visited = item === null ? undefined : lookup.visitEarly(item);
  await limits.admit(context, limited);
  return await find(visited);
}

/**
 * Resolves when the request may read the item: it has no password, or the request carries the password, the owner's token, an
 * unlock cookie, or a ticket in its path or query.
 * @throws PASSWORD_REQUIRED, PASSWORD_WRONG, RATE_LIMITED
 */
export async function allowRead(
  { passwords, cookies }: Pick<ReadDependencies, 'passwords' | 'cookies'>,
  context: RequestContext,
  record: LiveItemRecord,
  ticketInPath: string | null = null,
): Promise<void> {
  if (record.passwordHash === null) return;
  const ticket = ticketInPath ?? context.query().get('ticket');
  if (ticket !== null && cookies.opensByTicket(record, ticket)) return;
  if (isOwner(context, record.ownerHash)) return;
  const { headers } = context.request;
  const password = headerText(headers, 'x-password') || context.query().get('p') || '';
  if (password !== '')
    return await passwords.verify(record, record.passwordHash, password, context.clientKey);
  if (mayUseUnlockCookie(context) && cookies.opens(record, headers.get('cookie'))) return;
  throw errors.passwordRequired();
}

/**
 * Whether the unlock cookie counts: only for navigations, as browsers also send it for scripts and frames of other pages on
 * this host. An item's own host has no other pages.
 */
function mayUseUnlockCookie({ itemHost, request: { headers } }: RequestContext): boolean {
  if (itemHost !== null && (headers.get('sec-fetch-site') ?? 'same-origin') === 'same-origin') return true;
  const destination = headers.get('sec-fetch-dest');
  return destination === null || destination === 'document';
}
