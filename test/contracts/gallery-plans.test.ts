import { expect, test } from 'bun:test';
import { countListedItems } from '../../services/content/gallery/listed-count.ts';
import { searchListed } from '../../services/content/gallery/search.ts';
import { listPublications } from '../../services/content/operations/publications.ts';
import type { Database, Query } from '../../shared/items/sql.ts';
import { useDatabase } from '../use-database.ts';

const database = useDatabase({
  prepare: async (sql) => {
    await sql`
      insert into items (namespace, id, kind, code, owner_hash, title, tags, ttl_days, size_bytes, content, views,
                         created_at, updated_at, expires_at)
      select 'public', 'item-' || n, 'json', 'code-' || n, 'owner', 'A title word-' || n % 500, array['tag-' || n % 500],
        30, 1, '{}', 0, to_timestamp(0), to_timestamp(0), '2030-01-02'
      from generate_series(1, 5000) as n`;
    await sql`analyze items`;
  },
});

const NOW = Date.UTC(2030, 0, 1);
const MOMENT = { now: NOW, deadline: Number.POSITIVE_INFINITY };
const PAGE = { kind: null, tag: null, sort: 'date', offset: 0, limit: 20 } as const;
const SEARCH = { operators: [''], terms: ['word 7 title'], prefixed: false };

// PostgreSQL may use a generic plan once a connection has run a statement five times; that takes a third of all items to be
// live. With a million items the index of expiries made a search ten times slower.
test('a search reads no index of expiries, also by a generic plan', async () => {
  expect(await scansOf((sql) => searchListed(sql, { ...PAGE, search: SEARCH }, MOMENT))).toMatchObject({
    words: 1,
    expiries: 0,
  });
  const frequent = { ...PAGE, search: { operators: [''], terms: ['title'], prefixed: true } };
  const bounds = { whole: 1_000, first: 20 };
  expect(await scansOf((sql) => searchListed(sql, frequent, MOMENT, bounds))).toMatchObject({
    words: 0,
    listed: 1,
    expiries: 0,
  });
});

test('a count of the items with a tag looks for none of them, also by a generic plan', async () => {
  const count = (sql: Query) => countListedItems(sql, { kind: null, tag: 'tag-7' }, NOW);
  expect(await database.sql.begin(count)).toBe(10);
  expect((await scansOf(count)).words).toBe(0);
});

test("the operator's list of hidden items looks at no others, also by a generic plan", async () => {
  const filter = { kind: null, namespace: null, id: null, state: 'hidden' } as const;
  const list = (sql: Query) =>
    listPublications({ sql: sql as Database, clock: { now: () => NOW } }, { filter, offset: 0, limit: 20 });
  expect(await scansOf(list)).toMatchObject({ hidden: 2, newest: 0 });
});

/** How often each index is scanned by generic plans. */
async function scansOf(read: (sql: Query) => Promise<unknown>): Promise<Scans> {
  return await database.sql.begin(async (sql) => {
    await sql`set local plan_cache_mode = force_generic_plan`;
    await sql`set local enable_seqscan = off`;
    const before = await scans(sql);
    await read(sql);
    const after = await scans(sql);
    return {
      words: after.words - before.words,
      listed: after.listed - before.listed,
      expiries: after.expiries - before.expiries,
      hidden: after.hidden - before.hidden,
      newest: after.newest - before.newest,
    };
  });
}

interface Scans {
  words: number;
  listed: number;
  expiries: number;
  hidden: number;
  newest: number;
}

/** How often this connection has scanned each index since it last told the statistics. */
async function scans(sql: Query): Promise<Scans> {
  const [counted = { words: 0, listed: 0, expiries: 0, hidden: 0, newest: 0 }] = await sql<Scans[]>`
    select pg_stat_get_xact_numscans('items_listed_words'::regclass)::int as words,
      pg_stat_get_xact_numscans('items_listed_date'::regclass)::int as listed,
      pg_stat_get_xact_numscans('items_expiry'::regclass)::int as expiries,
      pg_stat_get_xact_numscans('items_hidden_newest'::regclass)::int as hidden,
      pg_stat_get_xact_numscans('items_created'::regclass)::int as newest`;
  return counted;
}
