import { type ItemRecordOf, isKind, isThere } from '../../../../shared/items/item-record.ts';
import { shownProof, type UnlockCookies } from '../../auth/unlock-proofs.ts';
import { isSet } from '../../http/parameters.ts';
import { isPageNavigation } from '../../http/preferred-type.ts';
import type { RequestContext } from '../../http/request-context.ts';
import type { ReadDependencies } from '../../items/dependencies.ts';
import { liveVersion } from '../../items/rendered-pages.ts';
import { wantsEvents } from '../../live/follow-request.ts';
import { admissionTo, type Snapshot, type Topic } from '../../live/topic.ts';

type LiveDependencies = Pick<ReadDependencies, 'lookup' | 'clock' | 'live'> & { cookies: UnlockCookies };

/**
 * Answers what belongs to the live reload of a page, `?live=1` (specification 4.9); `null`: the page itself is the answer. To
 * who asks for events come those of its versions. A person who has opened a protected page is led to an address with a ticket,
 * as the page has no origin, and so its requests carry no cookie.
 */
export function answerLive(
  deps: LiveDependencies,
  context: RequestContext,
  record: ItemRecordOf<'html'>,
): Response | null {
  if (context.search === '' || !isSet(context.query(), 'live')) return null;
  if (wantsEvents(context)) return deps.live.stream(context, topicOf(deps, record), stateOf(record));
  if (record.passwordHash === null || !isPageNavigation(context.request)) return null;
  const query = new URLSearchParams(context.query());
  if (query.has('p') || query.has('ticket')) return null;
  query.set('ticket', deps.cookies.ticket(record, shownProof(context)));
  const headers = { Location: `${context.path}?${query}`, 'Cache-Control': 'private, no-store' };
  return new Response(null, { status: 302, headers });
}

const topicOf = ({ lookup, clock }: LiveDependencies, { namespace, id }: ItemRecordOf<'html'>): Topic => ({
  item: { namespace, id },
  key: null,
  async read(context) {
    const { record } = await lookup.find({ namespace, id }, context);
    return isThere(record, clock.now()) && isKind(record, 'html') ? stateOf(record) : null;
  },
});

const stateOf = (record: ItemRecordOf<'html'>): Snapshot => ({
  order: record.version,
  // A renewal makes a new version of the record, but not of the page.
  id: liveVersion(record),
  data: JSON.stringify({ updatedAt: new Date(record.updatedAt).toISOString() }),
  ...admissionTo(record),
});
