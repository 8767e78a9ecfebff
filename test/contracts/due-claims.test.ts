import { expect, test } from 'bun:test';
import { takeDueClaims } from '../../services/content/repository/domains.ts';
import { useDatabase } from '../use-database.ts';

const database = useDatabase();
const NOW = Date.UTC(2026, 10, 23);

test('domains that items hold are checked before claims, of either the longest due, each by one process', async () => {
  const { sql } = database;
  const claims = [
    ['old-claim', 'pending', 5],
    ['claim', 'pending', 4],
    ['active', 'active', 2],
    ['lost', 'lost', 3],
    ['not-due', 'active', -1],
  ] as const;
  for (const [name, state, dueSince] of claims) {
    await sql`
      insert into items (namespace, id, kind, code, owner_hash, title, tags, ttl_days, size_bytes, content, created_at, updated_at, expires_at, version)
      values ('n', ${name}, 'html', ${name}, 'o', '', '{}', 1, 1, '{}', ${NOW}, ${NOW}, ${NOW + 86_400_000}, 1)`;
    await sql`
      insert into item_domains (code, domain, owner_hash, token, state, claimed_at, due_at)
      values (${name}, ${`${name}.example`}, 'o', 't', ${state}, ${NOW}, ${NOW - dueSince * 1_000})`;
  }
  const take = async (): Promise<string[]> =>
    (await takeDueClaims(sql, NOW, NOW + 60_000, 2)).map(({ code }) => code).toSorted();
  expect(await take()).toEqual(['active', 'lost']);
  expect(await take()).toEqual(['claim', 'old-claim']);
  expect(await take()).toEqual([]);
});
