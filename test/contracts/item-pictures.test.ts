import { beforeEach, expect, test } from 'bun:test';
import * as pictures from '../../services/content/repository/pictures.ts';
import { newShortCode } from '../../shared/ids.ts';
import { useDatabase } from '../use-database.ts';

const database = useDatabase();
const NOW = Date.now();
const LATER = NOW + 3_600_000;

interface NewItem {
  namespace?: string;
  passwordHash?: string;
  kind?: string;
  family?: string;
  client?: string;
}

/** Puts an item into its table; returns its code. */
async function put(item: NewItem = {}): Promise<string> {
  const {
    namespace = 'public',
    passwordHash = null,
    kind = 'file',
    family = 'image',
    client = '192.0.2.1',
  } = item;
  const code = newShortCode();
  const content = { blobKey: `aa/${code.toLowerCase()}content`, family };
  await database.sql`
    insert into items (namespace, id, kind, code, owner_hash, password_hash, title, ttl_days, size_bytes, content,
      created_at, updated_at, expires_at, client_ip)
    values (${namespace}, ${code}, ${kind}, ${code}, 'owner', ${passwordHash}, '', 1, 1, ${database.sql.json(content)},
      ${NOW}, ${NOW}, ${LATER}, ${client})`;
  return code;
}

const take = (after = '', limit = 10, now = Date.now() + 1_000) =>
  pictures.takeWantedPictures(database.sql, { after, now, until: now + 60_000, limit });

const trash = async (): Promise<string[]> => {
  const rows = await database.sql<Array<{ key: string }>>`select key from blob_trash order by key`;
  return rows.map(({ key }) => key);
};

/** Has a picture made of an item, whatever it shows. */
async function give(code: string): Promise<string> {
  const key = `bb/${code.toLowerCase()}picture`;
  expect(await pictures.keepPicture(database.sql, code, { key, width: 320, height: 200 })).toBe(true);
  return key;
}

const rows = async (): Promise<number> => (await database.sql`select from item_pictures`).length;

beforeEach(async () => {
  await database.sql`delete from items`;
  await database.sql`delete from item_pictures`;
  await database.sql`delete from blob_trash`;
});

test('listed images and pages want a picture, and nothing else does', async () => {
  const wanted = [await put(), await put({ kind: 'html', family: 'none' })];
  await put({ namespace: 'mine' });
  await put({ passwordHash: 'hash' });
  await put({ family: 'audio' });
  for (const kind of ['json', 'kv', 'site']) await put({ kind });
  const found = await database.sql<Array<{ code: string }>>`select code from item_pictures`;
  expect(found.map(({ code }) => code).sort()).toEqual(wanted.sort());
});

test('clients take turns, each with its oldest', async () => {
  const busy = [];
  for (let n = 0; n < 5; n++) busy.push(await put({ client: '192.0.2.1' }));
  const other = await put({ client: '192.0.2.2' });
  const third = await put({ client: '192.0.2.3' });
  const first = await take('', 2);
  expect(first.map(({ client }) => client).sort()).toEqual(['192.0.2.1', '192.0.2.2']);
  expect(first.map(({ code }) => code)).toContain(other);
  expect((await take('192.0.2.2', 2)).map(({ code }) => code)).toEqual([third]);
  expect(await take('192.0.2.3', 2)).toEqual([]);
  for (let n = 1; n < 5; n++) expect(await take('', 2)).toMatchObject([{ client: '192.0.2.1', tries: 1 }]);
  expect(await take('', 2)).toEqual([]);
  // A lease that has ended.
  expect(await take('', 1, Date.now() + 120_000)).toMatchObject([{ client: '192.0.2.1', tries: 2 }]);
});

test('what one process has taken no other takes', async () => {
  for (let n = 0; n < 10; n++) await put({ client: `192.0.2.${n}` });
  const taken = (await Promise.all(Array.from({ length: 5 }, () => take('', 4)))).flat();
  expect(new Set(taken.map(({ code }) => code)).size).toBe(taken.length);
});

test.each([
  ['is removed', (code: string) => database.sql`delete from items where code = ${code}`, 0],
  ['is hidden', (code: string) => database.sql`update items set hidden = true where code = ${code}`, 0],
  [
    'gets a password',
    (code: string) => database.sql`update items set password_hash = 'x' where code = ${code}`,
    0,
  ],
  [
    'has other content',
    (code: string) =>
      database.sql`update items set content = content || '{"blobKey": "cc/othercontent"}' where code = ${code}`,
    1,
  ],
])('a picture goes when its item %s', async (_, change, left) => {
  const code = await put();
  const key = await give(code);
  await database.sql`update items set views = 7, title = 'new', version = version + 1 where code = ${code}`;
  expect(await trash()).toEqual([]);
  await change(code);
  expect(await trash()).toEqual([key]);
  expect(await rows()).toBe(left);
  expect((await take()).length).toBe(left);
});

test('pictures of items that one statement deletes go with them, and no other', async () => {
  const kept = await put();
  const keys = [await give(await put()), await give(await put({ kind: 'html', family: 'none' }))];
  await put();
  await put({ kind: 'json' });
  await database.sql`delete from items where code <> ${kept}`;
  expect(await trash()).toEqual(keys.toSorted());
  expect(await take()).toMatchObject([{ code: kept }]);
  await database.sql`delete from items where code = 'nobody'`;
  expect(await rows()).toBe(1);
});

test('an item that is shown again wants one again', async () => {
  const code = await put();
  await database.sql`update items set hidden = true where code = ${code}`;
  await database.sql`update items set hidden = false where code = ${code}`;
  expect(await take()).toMatchObject([{ code, tries: 1 }]);
});

test('a picture is kept once, and for no item that has gone meanwhile', async () => {
  const code = await put();
  await give(code);
  expect(
    await pictures.keepPicture(database.sql, code, { key: 'dd/secondpicture', width: 1, height: 1 }),
  ).toBe(false);
  const gone = await put();
  await database.sql`delete from items where code = ${gone}`;
  expect(await pictures.keepPicture(database.sql, gone, { key: 'dd/latepicture', width: 1, height: 1 })).toBe(
    false,
  );
  expect(await pictures.findPictured(database.sql, gone, NOW)).toBe(null);
});

test('who has looked at an earlier content neither gives up nor puts off the picture of the one that is there', async () => {
  const code = await put({ kind: 'html' });
  const now = Date.now() + 1_000;
  const until = now + 60_000;
  expect(await take('', 10, now)).toHaveLength(1);
  await database.sql`update items set content = ${database.sql.json({ blobKey: 'aa/newercontent' })} where code = ${code}`;
  await pictures.giveUpPicture(database.sql, { code, until });
  await pictures.postponePicture(database.sql, { code, until }, LATER);
  expect((await take('', 10, now)).map(({ code: wanted, tries }) => [wanted, tries])).toEqual([[code, 1]]);
  await pictures.postponePicture(database.sql, { code, until }, until + 1);
  expect(await take('', 10, until)).toEqual([]);
  expect((await take('', 10, until + 1)).map(({ tries }) => tries)).toEqual([1]);
  await pictures.giveUpPicture(database.sql, { code, until: until + 60_001 });
  expect(await take('', 10, LATER + 120_000)).toEqual([]);
});
