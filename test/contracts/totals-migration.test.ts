import { expect, setDefaultTimeout, test } from 'bun:test';
import pino from 'pino';
import { countListedItems } from '../../services/content/gallery/listed-count.ts';
import { migrate } from '../../shared/adapters/database/migrate.ts';
import type { Kind } from '../../shared/items/item.ts';
import { MIGRATIONS } from '../../shared/wiring/migrations.ts';
import { useDatabase } from '../use-database.ts';
import { insertRow, totalsOf } from './totals.ts';

setDefaultTimeout(60_000);
/** A database as an earlier release has left it. */
const database = useDatabase({ upTo: 5 });

test('what is there already is counted once, also what is written while the migration runs', async () => {
  const days = 86_400_000;
  await insertRow(database.sql, { sizeBytes: 70, tags: ['red', 'red', 'green'] });
  await insertRow(database.sql, { sizeBytes: 30, createdAt: Date.now() - 5 * days });
  await insertRow(database.sql, { kind: 'file', namespace: 'mine', tags: ['red'] });
  const store = await insertRow(database.sql, { kind: 'kv' });
  await database.sql`
    insert into kv_entries (namespace, id, key, value, size_bytes, updated_at)
    values ('public', ${store.id}, 'a', '1', 1, now()), ('public', ${store.id}, 'b', '22', 2, now())`;

  let written = 0;
  let running = true;
  const writing = [1, 2, 3].map(async () => {
    while (running) {
      await insertRow(database.sql, { kind: 'json', tags: ['red'] });
      written += 1;
    }
  });
  await migrate(database.url, { directory: MIGRATIONS, log: pino({ level: 'silent' }) });
  await insertRow(database.sql, { kind: 'site' });
  running = false;
  await Promise.all(writing);

  const todayFrom = Date.now() - 1.5 * days;
  expect(await totalsOf(database.sql, 'html', todayFrom)).toMatchObject({
    created: 2,
    createdToday: 1,
    bytes: 100,
  });
  expect(await totalsOf(database.sql, 'file', todayFrom)).toMatchObject({
    created: 1,
    createdToday: 1,
    bytes: 100,
  });
  expect(await totalsOf(database.sql, 'kv', todayFrom)).toMatchObject({ created: 1, bytes: 3, views: 0 });
  expect(await totalsOf(database.sql, 'site', todayFrom)).toMatchObject({ created: 1 });
  expect(await totalsOf(database.sql, 'json', todayFrom)).toMatchObject({
    created: written,
    bytes: written * 100,
  });
  const counted = (filter: { kind: Kind | null; tag: string }) =>
    countListedItems(database.sql, filter, Date.now());
  expect(await counted({ kind: 'html', tag: 'red' })).toBe(1);
  expect(await counted({ kind: null, tag: 'green' })).toBe(1);
  expect(await counted({ kind: null, tag: 'red' })).toBe(1 + written);
  await database.sql`delete from items`;
  expect(await totalsOf(database.sql, 'kv', todayFrom)).toMatchObject({ created: 1, deleted: 1, bytes: 0 });
});
