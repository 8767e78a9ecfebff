import { createHash, randomBytes } from 'node:crypto';
import type postgres from 'postgres';
import { newBlobKey } from '../../shared/ids.ts';
import type { Kind } from '../../shared/items/item.ts';
import type { BlobStore } from '../../shared/ports/blob-store.ts';

export const OWNER_TOKEN = 'own_of-everything-that-an-old-release-wrote';
export const PASSWORD = 'right';

export interface OldItem {
  kind: Kind;
  namespace: string;
  id: string;
  code: string;
  /** The path that is read, and its content with `?raw=true`. */
  at: string;
  bytes: Buffer;
  hasPassword: boolean;
}

export interface OldData {
  items: OldItem[];
  /** The code of an item in `public` that is gone. */
  goneId: string;
  /** Blobs that belong to no item, one of them past its time. */
  trash: string[];
}

interface Stores {
  sql: postgres.Sql;
  blobs: BlobStore;
}

const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');

async function store({ blobs }: Stores, bytes: Buffer): Promise<string> {
  const key = newBlobKey();
  await blobs.put(key, bytes);
  return key;
}

/** The columns that every schema has had. */
async function itemRow(hasPassword: boolean, item: Omit<OldItem, 'at' | 'hasPassword'>) {
  const { namespace, id, kind, code, bytes } = item;
  const now = new Date();
  return {
    namespace,
    id,
    kind,
    code,
    title: `An old ${kind}`,
    tags: ['old', 'ß'],
    ttl_days: 15,
    owner_hash: sha256(OWNER_TOKEN),
    password_hash: hasPassword
      ? await Bun.password.hash(PASSWORD, { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 })
      : null,
    size_bytes: bytes.length,
    created_at: now,
    updated_at: now,
    expires_at: new Date(now.getTime() + 15 * 86_400_000),
  };
}

const page = (text: string, namespace = 'public', hasPassword = false) => ({
  kind: 'html' as const,
  namespace,
  hasPassword,
  at: '',
  bytes: Buffer.from(text),
});

/** As the first release wrote them: pages alone, in a table of their own (schema 4). */
export async function writePages(stores: Stores): Promise<OldItem[]> {
  const { sql } = stores;
  const pages = [page('<p>plain ß €'), page('<p>mine', 'my-pages'), page('<p>secret', 'my-pages', true)];
  const items: OldItem[] = [];
  for (const [n, { hasPassword, ...rest }] of pages.entries()) {
    const item = { ...rest, id: `page-${n}`, code: `page00${n}` };
    await sql`insert into items ${sql(await itemRow(hasPassword, item))}`;
    const extra = { format: 'HTML', content_type: 'text/html; charset=utf-8', title_given: n === 1 };
    const blobKey = await store(stores, item.bytes);
    await sql`insert into pages ${sql({
      namespace: item.namespace,
      id: item.id,
      language: null,
      filename: null,
      show_top_bar: null,
      ...extra,
      sha256: sha256(item.bytes),
      blob_key: blobKey,
      view_key: null,
    })}`;
    await writeIdempotencyRecord(sql, item);
    items.push({ ...item, hasPassword });
  }
  return items;
}

/** As releases from schema 5 on wrote them: all kinds, each with its content as one document. */
export async function writeAllKinds(stores: Stores): Promise<OldItem[]> {
  const items = [page('<p>plain ß €'), page('<p>secret', 'my-pages', true)].map((one) => ({
    ...one,
    content: (blobKey: string) => ({
      format: 'HTML',
      language: null,
      contentType: 'text/html; charset=utf-8',
      filename: null,
      showTopBar: null,
      titleGiven: false,
      sha256: sha256(one.bytes),
      blobKey,
      viewKey: null,
    }),
  }));
  const document = Buffer.from('{ "kept":  ["as", "sent"] }');
  const picture = Buffer.from(
    '47494638396101000100800000000000ffffff2c00000000010001000002024401003b',
    'hex',
  );
  const site = Buffer.from('<p>entryp { color: teal }');
  const index = await store(
    stores,
    Buffer.from(
      JSON.stringify({
        files: [
          { path: 'index.html', offset: 0, length: 8, contentType: 'text/html; charset=utf-8', etag: 'a' },
          { path: 'style.css', offset: 8, length: 17, contentType: 'text/css; charset=utf-8', etag: 'b' },
        ],
      }),
    ),
  );
  const others = [
    {
      kind: 'json' as const,
      namespace: 'public',
      at: '',
      bytes: document,
      hasPassword: false,
      content: (blobKey: string) => ({ sha256: sha256(document), blobKey }),
    },
    {
      kind: 'file' as const,
      namespace: 'my-pages',
      at: '',
      bytes: picture,
      hasPassword: true,
      content: (blobKey: string) => ({
        filename: 'dot.gif',
        contentType: 'image/gif',
        family: 'image',
        sha256: sha256(picture),
        blobKey,
        viewKey: null,
      }),
    },
    {
      kind: 'site' as const,
      namespace: 'public',
      at: '/style.css',
      bytes: site,
      hasPassword: false,
      content: (blobKey: string) => ({ entryFile: 'index.html', fileCount: 2, blobKey, indexKey: index }),
    },
    {
      kind: 'kv' as const,
      namespace: 'public',
      at: '/greeting',
      bytes: Buffer.from(''),
      hasPassword: false,
      content: () => ({}),
    },
  ];
  const { sql } = stores;
  const written: OldItem[] = [];
  for (const [n, { content, hasPassword, at, ...rest }] of [...items, ...others].entries()) {
    const item = { ...rest, id: `old-${n}`, code: `old000${n}` };
    const blobKey = item.kind === 'kv' ? '' : await store(stores, item.bytes);
    const row = { ...(await itemRow(hasPassword, item)), content: sql.json(content(blobKey)) };
    const excerpt = item.kind === 'json' ? item.bytes.toString() : null;
    await sql`insert into items ${sql({ ...row, excerpt })}`;
    await writeIdempotencyRecord(sql, item);
    const bytes = { site: item.bytes.subarray(8), kv: Buffer.from('old value') };
    written.push({
      ...item,
      at,
      hasPassword,
      ...(item.kind in bytes ? { bytes: bytes[item.kind as 'kv'] } : {}),
    });
  }
  const store0 = { namespace: 'public', id: `old-${items.length + 3}` };
  const value = JSON.stringify('old value');
  await sql`insert into kv_entries ${sql([
    { ...store0, key: 'greeting', value, size_bytes: value.length, updated_at: new Date() },
    { ...store0, key: 'number', value: '1e3', size_bytes: 3, updated_at: new Date() },
  ])}`;
  return written;
}

/** Writes data besides items: a removed item, abandoned uploads, and reports. */
export async function writeLeftovers(stores: Stores): Promise<Omit<OldData, 'items'>> {
  const { sql } = stores;
  const trash = [
    await store(stores, Buffer.from('replaced')),
    await store(stores, Buffer.from('unfinished')),
  ];
  await sql`
    insert into blob_trash (key, delete_after, used)
    values (${trash[0] ?? ''}, now() - interval '1 minute', true), (${trash[1] ?? ''}, now() + interval '1 second', false)`;
  await sql`
    insert into tombstones (code, namespace, id, version, removed_at)
    values ('gone001', 'public', 'gone', nextval('item_version'), now()),
           ('gone002', 'my-pages', 'gone', nextval('item_version'), now() - interval '1 day')`;
  await sql`
    insert into reports (id, reported_url, category, description, received_at)
    values ('old-report', 'https://perch.test/public/page-0', 'spam', 'It was reported long ago.', now())`;
  await sql`insert into watermarks (name, reached) values ('route-repair', now() - interval '1 minute')`;
  return { goneId: 'gone', trash };
}

const writeIdempotencyRecord = (sql: postgres.Sql, { namespace, id }: { namespace: string; id: string }) =>
  sql`insert into create_receipts ${sql({
    receipt: randomBytes(32).toString('hex'),
    fingerprint: randomBytes(32).toString('hex'),
    namespace,
    id,
    created_at: new Date(),
  })}`;
