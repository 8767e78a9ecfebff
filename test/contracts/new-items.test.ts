import { expect, test } from 'bun:test';
import { createHtml } from '../../services/content/operations/html.ts';
import { insertBlocked } from '../../services/content/repository/blocked-content.ts';
import { steadyNow } from '../../shared/deadline.ts';
import { newItemId, newShortCode } from '../../shared/ids.ts';
import { lockBlockedContent } from '../../shared/items/blocked-content.ts';
import { createDatabaseClock } from '../../shared/items/database-clock.ts';
import { etagOf } from '../../shared/items/etag.ts';
import { makeItems, type NewItem } from '../../shared/items/insert-items.ts';
import type { ItemRef } from '../../shared/items/item.ts';
import { COLUMNS, findItem } from '../../shared/items/item-repository.ts';
import type { Quarantine } from '../../shared/items/quarantine.ts';
import { soon } from '../call-context.ts';
import { type CreateInput, startContentOperations } from '../faults/content-operations.ts';
import { useStarted } from '../started.ts';

const content = useStarted(
  () => startContentOperations(),
  (started) => started.end(),
);

const SEVERAL = 12;

const inputs = (changes: Partial<CreateInput> = {}, count = SEVERAL): Promise<CreateInput[]> =>
  Promise.all(
    Array.from({ length: count }, () =>
      content.createInput(`<title>T</title>${crypto.randomUUID()}`, changes),
    ),
  );

const create = (input: CreateInput, ms?: number) => createHtml(content.deps, input, soon(ms));

const codeOf = ({ reason }: PromiseRejectedResult): unknown => (reason as { code: unknown }).code;

/** How those that were tried at once went: the number made, and the codes of the others. */
async function outcomes(creates: Array<Promise<unknown>>): Promise<{ made: number; refused: unknown[] }> {
  const settled = await Promise.allSettled(creates);
  const refused = settled.filter((outcome) => outcome.status === 'rejected').map(codeOf);
  return { made: settled.length - refused.length, refused };
}

/** The row of an item with all its columns, and that of its idempotency key. */
async function rowsOf({ namespace, id }: ItemRef) {
  const { sql } = content.deps;
  const [item] = await sql`select * from items where namespace = ${namespace} and id = ${id}`;
  const [receipt] = await sql`select * from create_receipts where namespace = ${namespace} and id = ${id}`;
  return { item, receipt };
}

test('pages that are created at once share commits, each with a version of its own and its content', async () => {
  const { deps } = content;
  const given = await inputs();
  const made = await Promise.all(given.map((input) => create(input)));
  const ids = made.map(({ item }) => item.id);
  const rows = await deps.sql<Array<{ transaction: string; version: number; key: string }>>`
    select xmin::text as transaction, version, content ->> 'blobKey' as key from items where id = any(${ids})`;
  expect(new Set(rows.map(({ version }) => version)).size).toBe(SEVERAL);
  expect(new Set(rows.map(({ transaction }) => transaction)).size).toBeLessThan(SEVERAL / 2);
  expect(rows.map(({ key }) => key).toSorted()).toEqual(given.map(({ blob }) => blob.key).toSorted());
  expect(await content.audit()).toEqual({ forgotten: [], missing: [] });
});

test('a page that goes along with others has the rows of one that is made alone', async () => {
  const sender = { clientIp: '192.0.2.7', userAgent: 'It\'s "me" \\ 你好' };
  const hosting = { deliveryMode: 'subdomain', labelled: false } as const;
  const [input, other] = await inputs({ namespace: 'notes', passwordHash: 'secret', sender, hosting }, 2);
  if (input === undefined || other === undefined) throw new Error('no inputs');
  const full = { tags: ['one', 'two words, "quoted"', '{}'], title: 'Ünïcode, "quotes" and \\' };
  const salted = (key: string) => ({ idempotency: { key, fingerprint: 'f', salt: 's' } });
  const together = await create({ ...input, ...full, ...salted('together') });
  const alone = { ...content.deps, newItems: null };
  const made = await createHtml(alone, { ...other, ...full, ...salted('alone') }, soon());
  const [one, two] = await Promise.all([rowsOf(together.item), rowsOf(made.item)]);
  const own = ['id', 'code', 'version', 'content', 'receipt'];
  const shared = (row: Record<string, unknown> | undefined) =>
    Object.fromEntries(Object.entries(row ?? {}).filter(([column]) => !own.includes(column)));
  expect(shared(one.item)).toEqual(shared(two.item));
  expect(shared(one.receipt)).toEqual(shared(two.receipt));
  const { blobKey, sha256, ...same } = one.item?.content ?? {};
  expect([blobKey, sha256]).toEqual([input.blob.key, input.blob.sha256]);
  expect(two.item).toMatchObject({ content: same });
  expect(one.item?.tags).toEqual(full.tags);
});

/** An item with something in every field, and what is made with it. */
async function fullItem(): Promise<{ made: NewItem; blobKey: string }> {
  const [input] = await inputs({}, 1);
  if (input === undefined) throw new Error('no input');
  const drafted = await findItem(content.deps.sql, (await create(input)).item);
  if (drafted?.kind !== 'html') throw new Error('no page');
  const { key: blobKey } = await content.store(crypto.randomUUID());
  const [id, code] = [newItemId(), newShortCode()];
  const quarantine: Quarantine = { cause: 'link', verdict: 'test', part: null, since: 1, hidden: false };
  const item = {
    ...drafted,
    id,
    code,
    passwordHash: 'secret',
    excerpt: 'A text',
    tags: ['one'],
    label: id.toLowerCase(),
    domain: 'a.example',
    deliveryMode: 'subdomain' as const,
    hostingVersion: 7,
    quarantine,
    hidden: true,
    fileEtags: ['"etag"'],
    content: { ...drafted.content, blobKey },
  };
  const idempotency = { key: id, fingerprint: 'f', salt: 's' };
  return { made: { item, idempotency, sender: { clientIp: '192.0.2.7', userAgent: 'test' } }, blobKey };
}

const commitWith = async (blobKey: string, deadline: number) => ({
  blobKeys: [blobKey],
  etags: [],
  now: content.time.now,
  lockMs: 500,
  commitBy: await createDatabaseClock(content.deps.sql).commitBy(deadline),
});

test('an item that goes along with others gets every column that a create fills', async () => {
  const { made, blobKey } = await fullItem();
  const versions = await makeItems(content.deps.sql, [made], await commitWith(blobKey, soon().deadline));
  const { item, receipt } = await rowsOf(made.item);
  expect(versions).toEqual(new Map([[made.item.code, item?.version]]));
  const { views, ...given } = made.item;
  expect(item).toMatchObject({ ...given, version: item?.version, clientIp: '192.0.2.7', userAgent: 'test' });
  expect(COLUMNS.filter((column) => item?.[column] === null)).toEqual([]);
  expect(receipt).toMatchObject({ receipt: made.idempotency.key, fingerprint: 'f', salt: 's' });
});

test('creates that come to the database too late make nothing, and keep their blobs reserved', async () => {
  const { made, blobKey } = await fullItem();
  const { sql } = content.deps;
  await expect(makeItems(sql, [made], await commitWith(blobKey, steadyNow()))).rejects.toThrow('too late');
  expect(await rowsOf(made.item)).toEqual({ item: undefined, receipt: undefined });
  expect(await sql`select from blob_trash where key = ${blobKey}`).toHaveLength(1);
  expect(await makeItems(sql, [made], await commitWith(blobKey, soon().deadline))).not.toBeEmpty();
});

test('of pages that are created at once only those that are blocked, or came too late, are refused', async () => {
  const { deps, time } = content;
  const given = await inputs();
  const [blocked, forgotten, ...fine] = given;
  if (blocked === undefined || forgotten === undefined) throw new Error('no inputs');
  const block = { reason: 'test', blockedBy: 'test', blockedAt: time.now, expiresAt: time.now + 60_000 };
  await insertBlocked(deps.sql, [{ etag: etagOf(blocked.blob), sha256: null }], block);
  // As when the sweeper had it: its reservation is over.
  await deps.sql`delete from blob_trash where key = ${forgotten.blob.key}`;
  const { made, refused } = await outcomes(given.map((input) => create(input)));
  expect([made, refused.toSorted()]).toEqual([fine.length, ['CONTENT_BLOCKED', 'TIMEOUT']]);
});

test('attempts at one create that come at once, beside others, make one page', async () => {
  const [input, ...others] = await inputs();
  if (input === undefined) throw new Error('no inputs');
  const attempts = await Promise.all(
    [input.blob, await content.store('again'), await content.store('and again')].map((blob) => ({
      ...input,
      blob,
    })),
  );
  const made = await Promise.all(
    [...attempts, ...others, ...attempts.slice(0, 1)].map((each) => create(each)),
  );
  expect(new Set(made.map(({ item }) => item.id)).size).toBe(1 + others.length);
});

test('a create whose time runs out while others wait with it is refused, and they are made', async () => {
  const given = await inputs();
  const { sql } = content.deps;
  const { promise: locked, resolve: isLocked } = Promise.withResolvers<void>();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const locking = sql.begin(async (tx) => {
    await lockBlockedContent(tx);
    isLocked();
    await ended;
  });
  await locked;
  const trying = given.map((input, index) => create(input, index === 0 ? 800 : undefined));
  await expect(trying[0]).rejects.toMatchObject({ mayBeDone: false });
  end();
  await locking;
  expect(await outcomes(trying.slice(1))).toEqual({ made: SEVERAL - 1, refused: [] });
  const [row] = await sql<Array<{ count: number }>>`
    select count(*)::int as count from create_receipts where receipt = any(${given.map(({ idempotency }) => idempotency.key)})`;
  expect(row?.count).toBe(SEVERAL - 1);
});

test('a create that meets a row which another transaction holds waits alone, and those beside it are made meanwhile', async () => {
  const given = await inputs();
  const [held] = given;
  if (held === undefined) throw new Error('no inputs');
  const { promise: locked, resolve: isLocked } = Promise.withResolvers<void>();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const locking = content.deps.sql.begin(async (tx) => {
    await tx`select from blob_trash where key = ${held.blob.key} for update`;
    isLocked();
    await ended;
  });
  await locked;
  const trying = given.map((input) => create(input));
  let isMade = false;
  trying[0]?.then(
    () => {
      isMade = true;
    },
    () => undefined,
  );
  try {
    expect(await outcomes(trying.slice(1))).toEqual({ made: SEVERAL - 1, refused: [] });
    expect(isMade).toBe(false);
  } finally {
    end();
    await locking;
  }
  expect(await outcomes(trying.slice(0, 1))).toEqual({ made: 1, refused: [] });
});
