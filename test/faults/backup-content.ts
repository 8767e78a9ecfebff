import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { until } from '../../infra/until.ts';
import { hashOwnerToken } from '../../services/gateway/auth/owner-token.ts';
import { type Client, jsonOf, ownedBy, type Published, raw } from '../acceptance/support/client.ts';
import { createOf, itemPath, KINDS, type KindUnderTest, readContent } from '../acceptance/support/kinds.ts';
import { putKey } from '../acceptance/support/kv-client.ts';
import { form } from '../acceptance/support/multipart.ts';
import type { Instance } from '../instance.ts';
import type { Stores } from '../running-perch.ts';
import { ADMIN } from '../shared-instance.ts';
import { withDatabase } from './blob-audit.ts';

interface FilledItem {
  kind: KindUnderTest;
  item: Published;
  text: string;
  password: string | null;
  idempotencyKey: string;
}

/** Content of an instance that nobody changes. */
export interface Filled {
  items: FilledItem[];
  site: { item: Published; file: Uint8Array };
  viewed: { item: Published; views: number };
  removed: Published;
  /** Hidden by the operator, of an owner who may keep items longer. */
  hidden: Published;
}

const BLOCKED = { 'User-Agent': 'BlockedBot/1.0' };
/** A life that the owner of the hidden item may give. */
const LONG_TTL = 400;

const NAMESPACE = 'kept-for-good';
const VIEWS = 7;
/** Two files of it are more than a restore holds in memory. */
const LARGE_FILE = 4_900_000;

export async function fill(client: Client, stores: Stores): Promise<Filled> {
  const items: FilledItem[] = [];
  for (const kind of KINDS) {
    for (const password of [null, 'open sesame']) {
      const text = `${kind.name} “${password}” ß €`;
      const one = { kind, text, password, idempotencyKey: randomBytes(12).toString('hex') };
      items.push({ ...one, item: await jsonOf<Published>(await create(client, one), 201) });
    }
  }
  const store = items.find(({ kind }) => kind.name === 'kv')?.item as Published;
  await jsonOf(await putKey(client, store, 'umlaut ä', { 'tab\t': ['\u2028', null, '\\N'] }));
  const file = randomBytes(LARGE_FILE);
  const zip = zipSync({ 'index.html': strToU8('<p>large'), 'a.bin.js': file, 'b.js': file }, { level: 0 });
  const site = await jsonOf<Published>(
    await client.request('/api/sites', {
      method: 'POST',
      ...form([{ name: 'archive', filename: 'site.zip', content: zip }]),
    }),
    201,
  );
  const viewed = await client.publish('<p>viewed');
  for (let n = 0; n < VIEWS; n += 1) await (await client.read(viewed)).text();
  const removed = await client.publish('<p>removed');
  await client.api(removed, { method: 'DELETE', ...ownedBy(removed) });
  const hidden = await client.publish('<p>hidden');
  await decideAsOperator(client, hidden);
  await untilSaved(stores, viewed.id);
  return { items, site: { item: site, file }, viewed: { item: viewed, views: VIEWS }, removed, hidden };
}

/** Blocks a client, hides an item, and lets its owner keep items longer. */
async function decideAsOperator(client: Client, { namespace, id, ownerToken }: Published): Promise<void> {
  const ask = async (path: string, json: unknown): Promise<void> => {
    const response = await client.request(`/api/admin/${path}`, { method: 'POST', headers: ADMIN, json });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  };
  await ask('blocklist', { uaPattern: BLOCKED['User-Agent'], reason: 'A test.' });
  await ask(`items/${namespace}/${id}/hide`, {});
  await ask(`owners/${hashOwnerToken(ownerToken)}/promote`, { maxTtlDays: LONG_TTL, label: 'Team' });
}

/** In what the operator's decisions do not hold. */
async function moderationFaults(client: Client, hidden: Published): Promise<string[]> {
  const create = async (headers: Record<string, string>): Promise<number> => {
    const options = { method: 'POST', query: { ttl: LONG_TTL }, headers, json: { a: 1 } };
    return (await client.request('/api/json', options)).status;
  };
  const found = {
    'the hidden page': (await client.read(hidden)).status,
    'the hidden page for its owner': (await client.api(hidden, ownedBy(hidden))).status,
    'the blocked client': await create(BLOCKED),
    'the privileged owner': await create(ownedBy(hidden).headers),
  };
  const expected = [410, 200, 403, 201];
  return Object.entries(found).flatMap(([what, status], n) =>
    status === expected[n] ? [] : [`${what}: ${status}`],
  );
}

const create = (client: Client, { kind, text, password, idempotencyKey }: Omit<FilledItem, 'item'>) =>
  createOf(client, kind, text, {
    query: { ns: NAMESPACE, title: `A ${kind.name}`, tags: 'kept' },
    headers: { 'Idempotency-Key': idempotencyKey, ...(password === null ? {} : { 'X-Password': password }) },
  });

/** Views reach the database some seconds after they were counted; a backup has those that have. */
async function untilSaved({ mode, env, dir }: Stores, id: string): Promise<void> {
  const instance = { mode, env, dir: mode === 'embedded' ? join(dir, 'data') : dir } as unknown as Instance;
  await withDatabase(instance, (sql) =>
    until('the views are saved', async () => {
      const [row] = await sql<Array<{ views: number }>>`select views::int from items where id = ${id}`;
      return row?.views === VIEWS;
    }),
  );
}

/** Finds items that are missing, changed, or no longer usable as before. */
export async function findFaults(
  client: Client,
  { items, site, viewed, removed, hidden }: Filled,
  { sameSecret }: { sameSecret: boolean },
): Promise<string[]> {
  const faults: string[] = [];
  const expectThat = (isSo: boolean, what: string): void => {
    if (!isSo) faults.push(what);
  };
  for (const one of items) {
    const { kind, item, text, password } = one;
    const name = `${kind.name} ${password}`;
    const headers = password === null ? {} : { 'X-Password': password };
    const read = await readContent(client, kind, item, { query: { raw: true }, headers });
    expectThat((await read.text()).includes(kind.bytesOf(text)), `the content of ${name}`);
    if (password !== null)
      expectThat((await readContent(client, kind, item)).status === 403, `the protection of ${name}`);
    const again = await create(client, one);
    const repeated = again.status === 201 ? ((await again.json()) as Published) : null;
    expectThat((repeated?.ownerToken === item.ownerToken) === sameSecret, `the repeated create of ${name}`);
    const changes = { method: 'PUT', ...kind.change?.options };
    const changed = (headers: Record<string, string>) =>
      client.request(`${itemPath(kind, item)}${kind.change?.at ?? ''}`, {
        ...changes,
        headers: { ...changes.headers, ...headers },
      });
    if (kind.change === null) continue;
    expectThat(
      (await changed({ 'X-Owner-Token': 'own_of-somebody-else' })).status === 403,
      `others at ${name}`,
    );
    expectThat((await changed({ 'X-Owner-Token': item.ownerToken })).status === 200, `the owner of ${name}`);
  }
  const large = await client.request(`/${site.item.namespace}/${site.item.id}/b.js`);
  expectThat(Buffer.from(await large.arrayBuffer()).equals(site.file), 'the large site');
  const views = Number((await client.read(viewed.item)).headers.get('X-Views'));
  expectThat(views === viewed.views + 1, `the views: ${views}`);
  expectThat((await client.read(removed)).status === 410, 'the removed page');
  faults.push(...(await moderationFaults(client, hidden)));
  const stats = await jsonOf<{ totalCreated: number; activeItems: number }>(
    await client.request('/api/stats'),
  );
  expectThat(stats.totalCreated >= items.length + 3 && stats.activeItems > items.length, 'the totals');
  return faults;
}

/** Pages that are written, replaced and removed all the time. */
export interface Load {
  /** Resolves when each of these has happened. */
  underWay: Promise<void>;
  end(): Promise<void>;
  findFaults(client: Client): Promise<string[]>;
}

export function startLoad(client: Client): Load {
  let running = true;
  const pages: Published[] = [];
  const { promise: underWay, resolve } = Promise.withResolvers<void>();
  const writing = (async () => {
    for (let n = 0; running; n += 1) {
      const page = await client.publish(`<p>${n} first`);
      pages.push(page);
      const changed = raw(`<p>${n} second`, 'text/html', ownedBy(page));
      await (await client.api(page, { method: 'PUT', ...changed })).text();
      if (n % 3 === 2) await (await client.api(page, { method: 'DELETE', ...ownedBy(page) })).text();
      if (n === 20) resolve();
    }
  })();
  return {
    underWay: Promise.race([underWay, writing]),
    async end() {
      running = false;
      await writing;
    },
    /** A page has one of its contents, whole, or is gone; those of before the backup were not removed by chance. */
    async findFaults(restored) {
      const faults: string[] = [];
      for (const [n, page] of pages.entries()) {
        const answer = await restored.read(page, { query: { raw: true } });
        const text = await answer.text();
        const isWhole = answer.status === 200 && (text === `<p>${n} first` || text === `<p>${n} second`);
        const isGone = answer.status === 404 || answer.status === 410;
        const mustBeThere = n < 20 && n % 3 !== 2;
        if (!isWhole && (!isGone || mustBeThere)) faults.push(`page ${n}: ${answer.status} ${text}`);
      }
      return faults;
    },
  };
}
