import { beforeEach, expect, test } from 'bun:test';
import { createHistoryReader } from '../../services/analytics/operations/stats.ts';
import type { ReplyOf } from '../../shared/contracts/operation.ts';
import type { HistoryRange, readHistory } from '../../shared/contracts/stats.ts';
import { KINDS, type Kind } from '../../shared/items/item.ts';
import { useDatabase } from '../use-database.ts';
import { clearTotals, foldAll } from './totals.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 10, 21, 14, 20);
const database = useDatabase();
const clock = { now: () => NOW };

interface Change {
  at: number;
  kind?: Kind;
  created?: number;
  deleted?: number;
  views?: number;
  bytes?: number;
}

async function put({
  at,
  kind = 'html',
  created = 0,
  deleted = 0,
  views = 0,
  bytes = 0,
}: Change): Promise<void> {
  await database.sql`
    insert into item_deltas (at, kind, public, created, deleted, views, bytes)
    values (${at}, ${kind}, true, ${created}, ${deleted}, ${views}, ${bytes})`;
}

const fold = () => foldAll({ sql: database.sql, clock });

/** Each time anew: a reader keeps its answers for a second. */
const read = (range: HistoryRange) => createHistoryReader({ sql: database.sql, clock })({ range });

type History = ReplyOf<typeof readHistory>;

const figures = (
  { spans }: History,
  figure: 'created' | 'deleted' | 'views' | 'bytes',
  kind: Kind = 'html',
) => spans.map(({ kinds }) => kinds.find((one) => one.kind === kind)?.[figure]);

beforeEach(() => clearTotals(database.sql));

test.each([
  ['24h', HOUR, 24, '2026-11-20T15:00:00.000Z', '2026-11-21T14:00:00.000Z'],
  ['7d', 6 * HOUR, 28, '2026-11-14T18:00:00.000Z', '2026-11-21T12:00:00.000Z'],
  ['30d', DAY, 30, '2026-10-23T00:00:00.000Z', '2026-11-21T00:00:00.000Z'],
] as const)(
  '%s has equal spans up to the running one, and all kinds in each',
  async (range, spanMs, count, first, last) => {
    const history = await read(range);
    expect(history).toMatchObject({ spanMs, at: NOW });
    expect(history.spans).toHaveLength(count);
    expect([history.spans[0]?.at, history.spans.at(-1)?.at]).toEqual([Date.parse(first), Date.parse(last)]);
    for (const { kinds } of history.spans)
      expect(kinds).toEqual(KINDS.map((kind) => ({ kind, created: 0, deleted: 0, views: 0, bytes: 0 })));
  },
);

test('what happened stands in its span, folded or not; what is stored is known at the end of each', async () => {
  const changes: Change[] = [
    { at: NOW - 3 * DAY, created: 5, bytes: 500 },
    { at: NOW - 2 * HOUR, created: 2, bytes: 20, views: 3 },
    { at: NOW - HOUR, deleted: 1, bytes: -10 },
    { at: NOW, created: 1, views: 7, bytes: 1 },
    // Of a clock that is ahead.
    { at: NOW + HOUR, views: 1 },
    { at: NOW, kind: 'file', created: 1, bytes: 9 },
  ];
  const look = async () => {
    const history = await read('24h');
    expect(figures(history, 'created').slice(-3)).toEqual([2, 0, 1]);
    expect(figures(history, 'deleted').slice(-3)).toEqual([0, 1, 0]);
    expect(figures(history, 'views').slice(-3)).toEqual([3, 0, 8]);
    expect(figures(history, 'bytes').slice(-4)).toEqual([500, 520, 510, 511]);
    expect(figures(history, 'bytes', 'file').slice(-2)).toEqual([0, 9]);
    expect(figures(await read('30d'), 'created').slice(-4)).toEqual([5, 0, 0, 3]);
    expect(figures(await read('30d'), 'bytes').slice(-5)).toEqual([0, 500, 500, 500, 511]);
  };
  for (const change of changes.slice(0, 3)) await put(change);
  await fold();
  for (const change of changes.slice(3)) await put(change);
  await look();
  await fold();
  await look();
});

test('the history is kept a month, what is stored counts on', async () => {
  await put({ at: NOW - 40 * DAY, created: 1, bytes: 100 });
  await put({ at: NOW - 29 * DAY, created: 1, bytes: 10 });
  await fold();
  const rows = await database.sql`select hour from item_history`;
  expect(rows).toHaveLength(1);
  const history = await read('30d');
  expect(figures(history, 'created').slice(0, 2)).toEqual([1, 0]);
  expect(figures(history, 'bytes').at(-1)).toBe(110);
});
