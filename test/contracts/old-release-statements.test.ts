import { beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Database } from '../../shared/items/sql.ts';
import { START_LIMIT_MS } from '../servers.ts';
import { useStoredPerches } from './stored-perches.ts';
import { totalsOf } from './totals.ts';

// Processes of the release before go on while those of the next one come up. These are its statements as they were, by
// what they are for; the newest schema has to take them.
setDefaultTimeout(60_000);
const perches = useStoredPerches();
let sql: Database;

beforeAll(async () => {
  sql = perches.open(await perches.create());
}, START_LIMIT_MS);

const DAY = 86_400_000;
const COLUMNS = [
  ...['namespace', 'id', 'kind', 'code', 'ownerHash', 'passwordHash', 'title', 'tags', 'ttlDays'],
  ...['sizeBytes', 'excerpt', 'content', 'createdAt', 'updatedAt', 'expiresAt'],
];

function itemOf(kind: string, id: string): Record<string, unknown> {
  const now = Date.now();
  const content = kind === 'kv' ? {} : { blobKey: `aa/${id}`, sha256: '0', viewKey: null };
  return {
    namespace: 'public',
    id,
    kind,
    code: `code-${id}`,
    ownerHash: 'owner',
    passwordHash: null,
    title: 'Old',
    tags: ['old'],
    ttlDays: 1,
    sizeBytes: kind === 'kv' ? 0 : 100,
    excerpt: null,
    content,
    createdAt: now,
    updatedAt: now,
    expiresAt: now + DAY,
  };
}

async function insertItem(item: Record<string, unknown>): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`insert into items ${tx(item, ...COLUMNS)} returning version`;
    await tx`
      with receipt as (
        insert into create_receipts (receipt, fingerprint, namespace, id, created_at)
        values (${`receipt ${item.id}`}, 'f', ${String(item.namespace)}, ${String(item.id)}, ${Number(item.createdAt)})
      )
      update items set version = nextval('item_version')
      where namespace = ${String(item.namespace)} and id = ${String(item.id)} and version < (
        select max(version) from tombstones where namespace = ${String(item.namespace)} and id = ${String(item.id)}
      ) returning version`;
  });
}

const bury = (id: string) => sql`
  with removed as (
    delete from items using unnest(${['public']}::text[], ${[id]}::text[]) as due (namespace, id)
    where items.namespace = due.namespace and items.id = due.id
    returning items.namespace, items.id, items.code
  )
  insert into tombstones (code, namespace, id, version, removed_at)
  select code, namespace, id, nextval('item_version'), ${Date.now()} from removed
  on conflict (code) do update
  set namespace = excluded.namespace, id = excluded.id, version = excluded.version, removed_at = excluded.removed_at`;

test('items are inserted, found, replaced and removed', async () => {
  await insertItem(itemOf('html', 'page'));
  const [found] = await sql`select ${sql(['version', ...COLUMNS])} from items where id = 'page' for update`;
  expect(found).toMatchObject({ id: 'page', ownerHash: 'owner', content: { blobKey: 'aa/page' } });
  const change = {
    title: 'New',
    sizeBytes: 70,
    excerpt: null,
    content: { blobKey: 'aa/next' },
    updatedAt: Date.now(),
  };
  const [updated] = await sql`
    update items
    set ${sql(change, 'title', 'sizeBytes', 'excerpt', 'content', 'updatedAt')}, version = nextval('item_version')
    where namespace = 'public' and id = 'page' returning version`;
  expect(Number(updated?.version)).toBeGreaterThan(Number(found?.version));
  const changed = await sql`
    select ${sql(['version', ...COLUMNS])} from items
    where updated_at > ${Date.now() - DAY} and (namespace, id) > ('', '') order by namespace, id limit 500`;
  expect(changed).toHaveLength(1);
  expect(
    await sql`select id from items where expires_at <= ${Date.now()} order by expires_at limit 200 for update skip locked`,
  ).toHaveLength(0);
  expect(await totalsOf(sql, 'html')).toMatchObject({ created: 1, bytes: 70 });
  expect((await sql`select from items where search @@ to_tsquery('simple', 'new')`).count).toBe(1);
  await bury('page');
  expect(await totalsOf(sql, 'html')).toMatchObject({ created: 1, deleted: 1, bytes: 0 });
  const tombstones = await sql`
    select distinct on (namespace, id) namespace, id, version from tombstones
    where removed_at > ${Date.now() - DAY} and (namespace, id) > ('', '') order by namespace, id, version desc limit 500`;
  expect(tombstones).toMatchObject([{ id: 'page' }]);
  expect((await sql`select from create_receipts`).count).toBe(0);
});

test('values are written, replaced and removed', async () => {
  await insertItem(itemOf('kv', 'store'));
  await sql`
    insert into kv_entries as entry (namespace, id, key, value, size_bytes, updated_at)
    values ('public', 'store', 'a', '1', 1, ${Date.now()})
    on conflict (namespace, id, key) do update
    set value = excluded.value, size_bytes = excluded.size_bytes, version = entry.version + 1,
        sequence = nextval('item_version'), updated_at = greatest(entry.updated_at, excluded.updated_at)`;
  const replaced = await sql`
    with target as materialized (
      select fresh.*, items.code as store, items.expires_at
      from unnest(
        ${['public']}::text[], ${['store']}::text[], ${['owner']}::text[], ${['a']}::text[], ${['12']}::text[],
        ${[2]}::int[]
      ) with ordinality as fresh (namespace, id, owner_hash, key, value, size_bytes, place)
      join items on items.namespace = fresh.namespace and items.id = fresh.id and items.kind = 'kv'
        and items.owner_hash = fresh.owner_hash and items.expires_at > ${Date.now()}
      join kv_entries as standing on standing.namespace = fresh.namespace and standing.id = fresh.id
        and standing.key = fresh.key
      for update of standing skip locked
    )
    update kv_entries as entry
    set value = target.value, size_bytes = target.size_bytes, version = entry.version + 1,
        sequence = nextval('item_version'), updated_at = greatest(entry.updated_at, ${Date.now()})
    from target
    where entry.namespace = target.namespace and entry.id = target.id and entry.key = target.key
    returning entry.key, entry.version, target.store, target.place`;
  expect(replaced).toMatchObject([{ key: 'a', version: 2, store: 'code-store', place: 1 }]);
  expect(await totalsOf(sql, 'kv')).toMatchObject({ created: 1, bytes: 2 });
  await sql`
    with gone as (delete from kv_entries where id = 'store' and key = 'a' returning namespace, id, key)
    insert into kv_removed_entries (namespace, id, store, key, sequence, removed_at)
    select namespace, id, 'code-store', key, nextval('item_version'), ${Date.now()} from gone`;
  await bury('store');
  expect(await totalsOf(sql, 'kv')).toMatchObject({ deleted: 1, bytes: 0 });
  expect((await sql`select from kv_removed_entries`).count).toBe(0);
});

test('blobs are reserved, claimed, discarded and swept', async () => {
  const later = Date.now() + DAY;
  await sql`
    insert into blob_trash (key, delete_after, used)
    select key, ${later}, ${false} from unnest(${['aa/1', 'aa/2']}::text[]) as key on conflict (key) do nothing`;
  const { count } = await sql`
    delete from blob_trash where key = any(${['aa/1']}) and not used and not doomed and delete_after > ${Date.now()}`;
  expect(count).toBe(1);
  await sql`update blob_trash set delete_after = ${Date.now() - 1} where key = any(${['aa/2']})`;
  const due = await sql`
    update blob_trash set doomed = true, delete_after = ${later}
    where key = any(array(
      select key from blob_trash where delete_after <= ${Date.now()}
      order by delete_after limit 100 for update skip locked
    )) returning key`;
  expect(due).toMatchObject([{ key: 'aa/2' }]);
  await sql`delete from blob_trash where key = any(${['aa/2']})`;
});

test('reports are taken, passes note how far they have come, and receipts are forgotten', async () => {
  const [report] = await sql`
    insert into reports (id, reported_url, category, description, reporter_email, namespace, item_id, received_at)
    values ('r', 'https://perch.test/', 'spam', 'An old report.', ${null}, ${null}, ${null}, ${Date.now()})
    on conflict (id) do update set id = excluded.id returning received_at`;
  expect(report?.receivedAt).toBeNumber();
  expect(await sql`select status, reviewer_note from reports`).toMatchObject([
    { status: 'new', reviewerNote: null },
  ]);
  await sql`insert into watermarks (name, reached) values ('old', ${0}) on conflict (name) do nothing`;
  await sql`select reached from watermarks where name = 'old' for update skip locked`;
  await sql`update watermarks set reached = ${Date.now()} where name = 'old'`;
  await sql`
    delete from create_receipts where receipt = any(array(
      select receipt from create_receipts where created_at < ${Date.now()}
      order by created_at limit 1000 for update skip locked
    ))`;
});
