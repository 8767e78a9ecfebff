import { expect, test } from 'bun:test';
import { sampleListed } from '../../services/content/gallery/sample.ts';
import { useDatabase } from '../use-database.ts';

const ITEMS = 20_000;
const database = useDatabase({
  prepare: async (sql) => {
    await sql`
      insert into items (namespace, id, kind, code, owner_hash, title, tags, ttl_days, size_bytes, content, views,
                         created_at, updated_at, expires_at)
      select case n % 2 when 0 then 'public' else 'own' end, 'item-' || n, 'json', 'code-' || n, 'owner',
        case n % 10 when 0 then 'Rare' else 'Word' end, array[case n % 4 when 0 then 'some' else 'other' end],
        30, 1, '{}', 0, to_timestamp(0), to_timestamp(0), '2030-01-02'
      from generate_series(1, ${ITEMS}::int) as n`;
  },
});

test('a sample of a large table tells how many listed items match, and always the same', async () => {
  const query = {
    words: "'rare'",
    exact: "'word'",
    loose: "'rare' | 'word'",
    head: null,
    beginning: "'ra':*",
  };
  const sample = (tag: string | null) => sampleListed(database.sql, query, { tag });
  const counts = await sample(null);
  const about = (count: number, expected: number) => {
    expect(count).toBeGreaterThan(expected * 0.6);
    expect(count).toBeLessThan(expected * 1.6);
  };
  about(counts.listed, ITEMS / 2);
  about(counts.words, ITEMS / 10);
  about(counts.exact, 0.4 * ITEMS);
  expect([counts.loose, counts.head, counts.beginning]).toEqual([counts.listed, 0, counts.words]);
  expect(await sample(null)).toEqual(counts);
  about((await sample('some')).loose, ITEMS / 4);
});
