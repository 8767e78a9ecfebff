import type { AccessEvent } from '../../shared/contracts/access-log.ts';

/** Most entries in a row: fewer than the ids that the sequence leaves to it (migration 46). */
export const MAX_ALIKE = 500;

/** Entries of a row are of one span of so many ms, and so of one day: the row is found by the time of the newest. */
export const ALIKE_SPAN_MS = 1_000;

/** Entries that share a row, oldest first, one at least. */
export interface AlikeEntries {
  entries: AccessEvent[];
  newest: AccessEvent;
}

/**
 * Groups entries that differ in nothing but time, id, duration and client, to be kept in a row together. Errors of the server,
 * which people look at one by one, and entries of several requests stay alone. Groups come in the order of their newest entries,
 * so that rows which are read one after the other lie together.
 */
export function groupAlike(events: readonly AccessEvent[]): AlikeEntries[] {
  const groups: AlikeEntries[] = [];
  const open = new Map<string, AlikeEntries>();
  let last: AlikeEntries | null = null;
  for (const event of events) {
    // Events that follow one another are often alike, and need no key.
    const found: AlikeEntries | undefined =
      last !== null && areAlike(last.newest, event) ? last : open.get(keyOf(event));
    if (found !== undefined && found.entries.length < MAX_ALIKE && mayShare(event)) {
      found.entries.push(event);
      if (event.at >= found.newest.at) found.newest = event;
      last = found;
      continue;
    }
    const group = { entries: [event], newest: event };
    groups.push(group);
    if (!mayShare(event)) continue;
    open.set(keyOf(event), group);
    last = group;
  }
  for (const { entries } of groups) entries.sort((a, b) => a.at - b.at);
  return groups.sort((a, b) => a.newest.at - b.newest.at);
}

const mayShare = ({ status, requests = 1 }: AccessEvent): boolean => status < 500 && requests === 1;

/** Fields that alike entries have in common. */
const COMMON = [
  'path',
  'status',
  'method',
  'query',
  'resourceType',
  'resourceNamespace',
  'resourceId',
] as const;

/** Fields that alike entries all have, or all lack. */
const OF_CLIENT = ['userAgent', 'referer'] as const;

const spanOf = ({ at }: AccessEvent): number => Math.floor(at / ALIKE_SPAN_MS);

const areAlike = (one: AccessEvent, other: AccessEvent): boolean =>
  spanOf(one) === spanOf(other) &&
  COMMON.every((field) => one[field] === other[field]) &&
  OF_CLIENT.every((field) => (one[field] === null) === (other[field] === null));

/** Alike entries have one key, others have others. PostgreSQL takes no NUL, so no text holds one. */
const keyOf = (event: AccessEvent): string =>
  [
    spanOf(event),
    ...COMMON.map((field) => event[field] ?? '\0'),
    ...OF_CLIENT.map((field) => event[field] === null),
  ].join('\0');
