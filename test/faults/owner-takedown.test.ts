import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { type Client, createClient, jsonOf } from '../acceptance/support/client.ts';
import { atOnce } from '../acceptance/support/concurrency.ts';
import { type Instance, startInstance } from '../instance.ts';
import { until } from './waiting.ts';

const START_LIMIT_MS = 300_000;
const PASSWORD = 'the operator of this Perch';
const TOKEN = 'own_whose-items-go-all-at-once';
const OTHER = 'own_whose-items-stay-all-here';
const ITEMS = 400;

let perch: Instance;
let client: Client;
beforeAll(async () => {
  perch = await startInstance({ ownServers: true, env: { ADMIN_PASSWORD: PASSWORD } });
  client = createClient(() => perch.url);
}, START_LIMIT_MS);
afterAll(async () => {
  await perch.stop();
}, START_LIMIT_MS);

const create = async (token: string, n: number): Promise<void> => {
  const headers = { 'X-Owner-Token': token };
  const query = { id: `${token.slice(-4)}-${n}` };
  expect((await client.request('/api/json', { method: 'POST', query, headers, json: { n } })).status).toBe(
    201,
  );
};

const ownedBy = async (token: string): Promise<number> => {
  const response = await client.request('/api/owner/items', {
    query: { size: 1 },
    headers: { 'X-Owner-Token': token },
  });
  return response.status === 200 ? (await jsonOf<{ total: number }>(response)).total : -1;
};

test(
  'a takedown of an owner whose process is killed meanwhile is finished by the next one',
  async () => {
    for (let from = 0; from < ITEMS; from += 50) await atOnce(50, (n) => create(TOKEN, from + n));
    await create(OTHER, 1);
    const ownerId = createHash('sha256').update(TOKEN).digest('hex');
    const headers = { 'X-Admin-Password': PASSWORD };
    const taking = client
      .request(`/api/admin/owners/${ownerId}`, { method: 'DELETE', headers })
      .catch(() => null);
    await until('some items are gone', async () => {
      const left = await ownedBy(TOKEN);
      return left >= 0 && left < ITEMS;
    });
    const killed = perch.services.embedded ?? perch.services.contents[0];
    if (killed === undefined) throw new Error('nobody to kill');
    await killed.kill();
    await taking;
    await killed.start();
    await until('no item is left', async () => (await ownedBy(TOKEN)) === 0);
    expect(await ownedBy(OTHER)).toBe(1);
    for (const n of [0, ITEMS / 2, ITEMS - 1])
      await until('readers know', async () => (await client.request(`/public/once-${n}`)).status === 410);
  },
  START_LIMIT_MS,
);
