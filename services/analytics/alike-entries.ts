import type { AccessEvent } from '../../shared/contracts/access-log.ts';

/** Most entries in a row: fewer than the ids that the sequence leaves to it (migration 46). */
export const MAX_ALIKE = 500;

/** Entries of a row are of one span of so many ms, and so of one day: the row is found by the time of the newest. */
export const ALIKE_SPAN_MS = 1_000;

/**
 * Groups entries that differ in nothing but time, id, duration and client, to be kept in a row together. Each group is oldest first,
 * and the groups are in the order of their newest.
 * Alone stay errors of the server, which people look at one by one, and entries of several requests.
 */
export function groupAlike(events: readonly AccessEvent[]): AccessEvent[][] {
  const groups: AccessEvent[][] = [];
  const open = new Map<string, AccessEvent[]>();
  // Events that follow one another are often alike.
  let last: AccessEvent[] = [];
  for (const event of events) {
    const [first] = last;
    if (first !== undefined && last.length < MAX_ALIKE && areAlike(first, event)) {
      last.push(event);
      continue;
    }
    if (event.status >= 500 || (event.requests ?? 1) > 1) {
      groups.push([event]);
      continue;
    }
    const key = keyOf(event);
    const known = open.get(key);
    if (known !== undefined && known.length < MAX_ALIKE) {
      known.push(event);
      last = known;
      continue;
    }
    last = [event];
    groups.push(last);
    open.set(key, last);
  }
  for (const group of groups) group.sort((a, b) => a.at - b.at);
  // Rows that are read one after the other then lie together.
  return groups.sort((a, b) => newestOf(a) - newestOf(b));
}

const newestOf = (group: readonly AccessEvent[]): number => group.at(-1)?.at ?? 0;

const spanOf = ({ at }: AccessEvent): number => Math.floor(at / ALIKE_SPAN_MS);

/** Of two where the first may share its row. */
const areAlike = (first: AccessEvent, event: AccessEvent): boolean =>
  event.path === first.path &&
  event.status === first.status &&
  event.method === first.method &&
  event.query === first.query &&
  event.resourceType === first.resourceType &&
  event.resourceNamespace === first.resourceNamespace &&
  event.resourceId === first.resourceId &&
  spanOf(event) === spanOf(first) &&
  (event.requests ?? 1) === 1 &&
  (event.userAgent === null) === (first.userAgent === null) &&
  (event.referer === null) === (first.referer === null);

/** No text holds the separator: PostgreSQL would not take it. */
const keyOf = (event: AccessEvent): string =>
  [
    spanOf(event),
    event.status,
    event.method,
    event.path,
    event.query,
    event.resourceType,
    event.resourceNamespace,
    event.resourceId,
    event.userAgent === null,
    event.referer === null,
  ].join('\0');
