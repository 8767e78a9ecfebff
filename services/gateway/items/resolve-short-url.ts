import { errors } from '../../../shared/errors.ts';
import type { CachedEntry } from '../../../shared/items/entry.ts';
import { type ItemRef, type Kind, PUBLIC_NAMESPACE } from '../../../shared/items/item.ts';
import {
  type ItemRecord,
  type ItemRecordOf,
  isLive,
  isOpen,
  isVisible,
  type LiveItemRecord,
} from '../../../shared/items/item-record.ts';
import type { PerchError } from '../../../shared/perch-error.ts';
import type { EntryVisit } from '../../../shared/ports/cache.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { ReadDependencies } from './dependencies.ts';
import { takeEarlyVisit } from './early-visit.ts';
import { notFoundOrQuarantined } from './find-live-item.ts';
import type { ShortUrl } from './item-address.ts';
import { assertHasHost, enterByHost, enterByPath } from './item-redirects.ts';
import { retryStaleRecord } from './retry-stale-record.ts';

/** An authorized read of an item, as the responder of its kind gets it. */
export interface ItemRead<K extends Kind> {
  context: RequestContext;
  record: ItemRecordOf<K>;
  /** The requested part of the item: the decoded path behind the item's own; `null` when there is none. */
  sub: string | null;
  /** The cached entry of the key that `sub` names. */
  entry: CachedEntry | null;
  /** Views of the item, this one included. */
  views: number;
  /** The ticket's path segment in front of `sub`, `~<ticket>/`; `''` without a ticket that opens the item. */
  ticketPrefix: string;
}

/** Answers the reads of the short URLs of one kind's items. */
export interface Responder<K extends Kind> {
  /** Whether items of the kind have the part that a path behind an item's own names: `''` for a slash alone. */
  hasPart(sub: string): boolean;
  respond(read: ItemRead<K>): Promise<Response>;
}

/** The responder of each kind: `createResponders` in `kinds.ts` registers them. */
export type Responders = { [K in Kind]: Responder<K> };

/** Whether an answer counts as a view (specification 9.5): 200, 304, and 206 that starts at byte 0. */
function countsAsView({ status, headers }: Response): boolean {
  if (status === 206) return headers.get('content-range')?.startsWith('bytes 0-') ?? false;
  return status === 200 || status === 304;
}

/**
 * GET /{ns}/{id} and /{ns}/{id}/{sub} (specification 9.1). The record, the view counter and the rate limit are asked for
 * together, so that they share a round trip; a read that then turns out not to count takes its view back.
 * @param isAdmitted whether the request already counts against the read limit
 */
export async function resolveShortUrl(
  deps: ReadDependencies,
  responders: Responders,
  context: RequestContext,
  item: ShortUrl,
  isAdmitted = false,
): Promise<Response> {
  if (!isAdmitted) deps.limits.refuseKnown(context, 'reads');
  const seen: Seen = { record: null };
  const asked = {
    seen,
    admit: async () => {
      if (!isAdmitted) await deps.limits.admit(context, 'reads');
    },
    visited: takeEarlyVisit(context, item),
  };
  return await retryStaleRecord(
    deps,
    context,
    seen,
    () => resolveOnce(deps, responders, context, item, asked),
    () => resolveOnce(deps, responders, context, item, { seen, admit: async () => {} }),
  );
}

/** The record that an item was read by, once it is found. */
interface Seen {
  record: LiveItemRecord | null;
}

interface Asked {
  seen: Seen;
  admit(): Promise<void>;
  /** The answer of a cache that was asked before. */
  visited?: (() => Promise<EntryVisit>) | undefined;
}

/** One attempt at a read. The cached record that it goes by may be stale. */
async function resolveOnce(
  deps: ReadDependencies,
  responders: Responders,
  context: RequestContext,
  item: ShortUrl,
  { seen, admit, visited }: Asked,
): Promise<Response> {
  const isOwnView = deps.ownViews.isOwn(context, item);
  // With item hosts by default, most paths only redirect: do not count early.
  const mostlyRedirects = context.itemHost === null && deps.itemHosts.byDefault;
  // The fast path for reads, where it has asked before, has counted already.
  const eager =
    visited !== undefined ||
    (!context.isHead && !isOwnView && !mostlyRedirects && !context.request.headers.has('range'));
  // A path of one segment may be a key of a KV store: it is looked up along with the record.
  const key = item.sub === '' || item.sub?.includes('/') ? null : item.sub;
  const finding = deps.lookup.find(item, context.callContext, { key, count: eager, visited });
  const admitting = admit();
  const [found, admitted] = await Promise.allSettled([finding, admitting]);
  let counted = found.status === 'fulfilled' ? found.value.counted : false;
  try {
    if (admitted.status === 'rejected') throw admitted.reason;
    if (found.status === 'rejected') throw found.reason;
    const { record: existing, entry } = found.value;
    const now = deps.clock.now();
    // Another host than the item's own tells nothing of it, not even of a quarantine.
    if (isLive(existing, now)) assertHasHost(context, existing);
    const record = liveRecord(item, existing, now);
    context.item = record;
    seen.record = record;
    const redirect =
      context.itemHost === null
        ? await enterByPath(deps, context, record, item.ticket)
        : await enterByHost(deps, context, record);
    let { views } = found.value;
    if (redirect !== null)
      return await settleViews(deps, item, { response: redirect, views, counted, counts: false });
    if (eager && !counted && !isOpen(record)) {
      views = await deps.cache.countViews(item, 1);
      counted = true;
    }
    const { sub, ticket } = item;
    // A ticket that no longer opens the item would not open its parts either. A reader with a cookie gets a new ticket.
    const opens =
      ticket !== null && (record.passwordHash === null || deps.cookies.opensByTicket(record, ticket));
    const ticketPrefix = opens ? `~${ticket}/` : '';
    const read = { context, record, sub, entry, views, ticketPrefix };
    const response = await respond(responders, record.kind, read);
    const counts = !context.isHead && !isOwnView && countsAsView(response);
    const settled = await settleViews(deps, item, { response, views, counted, counts });
    if (counts) context.viewed = record.code;
    return settled;
  } catch (error) {
    if (counted) await deps.cache.countViews(item, -1);
    throw error;
  }
}

function liveRecord(item: ItemRef, record: ItemRecord | null, now: number): LiveItemRecord {
  if (isVisible(record, now)) return record;
  throw shortUrlError(item, record, now);
}

/** The error for an address without a live item: in `public` it tells that there was one, and everywhere of a quarantine. */
export function shortUrlError(item: ItemRef, record: ItemRecord | null, now: number): PerchError {
  const why = notFoundOrQuarantined(item, record, now);
  const isNoMore = record?.state === 'removed' || record?.hidden === true;
  return isNoMore && why.code === 'NOT_FOUND' && item.namespace === PUBLIC_NAMESPACE
    ? errors.contentGone(item.namespace, item.id)
    : why;
}

/** Calls the responder of the item's kind. `/ns/id/` is redirected to `/ns/id` where it names no part. */
async function respond<K extends Kind>(
  responders: Responders,
  kind: K,
  read: ItemRead<K>,
): Promise<Response> {
  const { context, record, sub } = read;
  const responder = responders[kind];
  if (sub === null || responder.hasPart(sub)) return await responder.respond(read);
  const { namespace, id } = record;
  if (sub !== '') throw errors.partNotFound(namespace, id, sub);
  const headers = { Location: `/${namespace}/${id}${context.querySuffix}`, 'Cache-Control': 'no-store' };
  return new Response(null, { status: 308, headers });
}

/** Corrects the view counter once the answer is known: takes back a view counted in advance, or adds a missing one. */
async function settleViews(
  { cache }: ReadDependencies,
  item: ItemRef,
  {
    response,
    views,
    counted,
    counts,
  }: { response: Response; views: number; counted: boolean | null; counts: boolean },
): Promise<Response> {
  // `null`: whether the view was counted is unknown, so it is neither counted again nor taken back.
  if (counted === null || counts === counted) return response;
  const total = await cache.countViews(item, counts ? 1 : -1);
  if (response.headers.has('x-views')) response.headers.set('X-Views', String(counts ? total : views - 1));
  return response;
}
