import { expect, test } from 'bun:test';
import { ALIKE_SPAN_MS, groupAlike, MAX_ALIKE, newestOf } from '../../services/analytics/alike-entries.ts';
import { toRuns } from '../../services/analytics/alike-requests.ts';
import type { AccessEvent } from '../../shared/contracts/access-log.ts';
import { accessEvent, NOON, toEvent } from '../access-events.ts';

const groups = (events: AccessEvent[]) =>
  groupAlike(toRuns(events)).map(({ at, requestIds, durationsMs, attributes }) =>
    attributes.map((of, index) =>
      toEvent({
        attributes: of,
        at: at[index] ?? 0,
        requestId: requestIds[index] ?? '',
        durationMs: durationsMs[index] ?? 0,
      }),
    ),
  );
const sizes = (events: AccessEvent[]) => groups(events).map(({ length }) => length);

test('entries that differ in time, id, duration and client alone share a row, oldest first', () => {
  const events = [3, 1, 2].map((n) =>
    accessEvent({
      at: NOON + n,
      requestId: `request-${n}`,
      durationMs: n,
      clientIp: `192.0.2.${n}`,
      userAgent: `Test/${n}`,
      referer: `https://example.com/${n}`,
    }),
  );
  expect(groups(events)).toEqual([events.toSorted((a, b) => a.at - b.at)]);
  expect(groupAlike(toRuns(events)).map(newestOf)).toEqual([NOON + 3]);
});

test.each<[string, Partial<AccessEvent>]>([
  ['method', { method: 'HEAD' }],
  ['path', { path: '/public/other' }],
  ['query', { query: 'raw=1' }],
  ['status', { status: 304 }],
  ['kind', { resourceType: 'kv' }],
  ['namespace', { resourceNamespace: 'team-notes' }],
  ['id of the item', { resourceId: 'other' }],
  ['want of a User-Agent', { userAgent: null }],
  ['Referer, where one has none', { referer: 'https://example.com/' }],
])('another %s is another row, also between those that are alike', (_, change) => {
  const [usual, other] = [accessEvent(), accessEvent(change)];
  expect(groups([usual, other, usual, other, other])).toEqual([
    [usual, usual],
    [other, other, other],
  ]);
});

test('an item without a namespace is not one with an empty name', () => {
  const [none, empty] = [accessEvent({ resourceNamespace: null }), accessEvent({ resourceNamespace: '' })];
  expect(groups([none, empty, none])).toEqual([[none, none], [empty]]);
});

test('errors of the server and entries of several requests stay alone', () => {
  const failed = accessEvent({ status: 500 });
  const several = accessEvent({ requests: 2 });
  const alone = [accessEvent(), failed, failed, several, several, accessEvent({ status: 499 })];
  expect(sizes(alone)).toEqual([1, 1, 1, 1, 1, 1]);
});

test('a row has so many entries at the most: limit −1, 0, +1', () => {
  const alike = (count: number) => Array.from({ length: count }, () => accessEvent());
  expect(sizes(alike(MAX_ALIKE - 1))).toEqual([MAX_ALIKE - 1]);
  expect(sizes(alike(MAX_ALIKE))).toEqual([MAX_ALIKE]);
  expect(sizes(alike(MAX_ALIKE + 1))).toEqual([MAX_ALIKE, 1]);
  const other = accessEvent({ path: '/public/other' });
  // A full row is left also where others come in between.
  expect(sizes([...alike(MAX_ALIKE), other, ...alike(2), other])).toEqual([MAX_ALIKE, 2, 2]);
});

test('a row is of one span of time: limit −1, 0, +1', () => {
  const at = (ms: number) => accessEvent({ at: NOON + ms });
  expect(sizes([at(0), at(ALIKE_SPAN_MS - 1)])).toEqual([2]);
  expect(sizes([at(0), at(ALIKE_SPAN_MS), at(ALIKE_SPAN_MS + 1)])).toEqual([1, 2]);
});
