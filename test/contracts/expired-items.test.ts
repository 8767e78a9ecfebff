import { expect, test } from 'bun:test';
import { takeExpiredItems } from '../../shared/items/item-repository.ts';
import { useDatabase } from '../use-database.ts';

// 22,000 items in all their indexes take a busy machine more than a usual statement may.
const database = useDatabase();

const NOW = Date.now();
const BATCH = 200;

/** Expire a second after one another, and lie in the table in no order. */
const insert = (first: number, count: number, expiresAt: number) => database.sql`
  insert into items
    (namespace, id, kind, code, owner_hash, title, ttl_days, size_bytes, content, created_at, updated_at, expires_at)
  select 'bench', 'item' || n, 'html', 'c' || n, 'owner', 'Title', 1, 1, '{}', ${NOW}::timestamptz, ${NOW}::timestamptz,
    ${expiresAt}::timestamptz + n * interval '1 second'
  from generate_series(${first}::int, ${first + count - 1}::int) as n order by random()`;

test('a batch of expired items is found without reading the others, also when statistics know of few', async () => {
  const { sql } = database;
  await insert(0, 20_000, NOW + 86_400_000);
  await insert(20_000, 100, NOW - 86_400_000);
  await sql`analyze items`;
  await insert(20_100, 2_000, NOW - 86_400_000);
  const { items, read } = await sql.begin(async (tx) => {
    const taken = await takeExpiredItems(tx, NOW, BATCH);
    const [row] = await tx<Array<{ read: number }>>`
      select seq_tup_read + idx_tup_fetch as read from pg_stat_xact_user_tables where relname = 'items'`;
    return { items: taken, read: row?.read };
  });
  const oldest = Array.from({ length: BATCH }, (_, place) => `item${20_000 + place}`);
  expect(items.map(({ id }) => id)).toEqual(oldest);
  expect(read).toBeLessThan(2 * BATCH);
});
