import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import postgres from 'postgres';
import type { Instance } from '../instance.ts';
import { createPage, OWNER_TOKEN, readRaw, send, statusOf, summary, viewsOf } from './client.ts';
import { processesOf, serverOf, startOnOwnServers } from './own-servers.ts';
import { until, untilDown, untilReady } from './waiting.ts';

setDefaultTimeout(120_000);

let perch: Instance;
let sql: postgres.Sql;
let redis: Bun.RedisClient;

beforeAll(async () => {
  perch = await startOnOwnServers({ SWEEP_INTERVAL_SECONDS: '3600' }, { gateways: 2 });
  sql = postgres(perch.env.PG_URL ?? '', { max: 1 });
  redis = new Bun.RedisClient(perch.env.REDIS_URL ?? '');
}, 300_000);
afterAll(async () => {
  redis?.close();
  await sql?.end({ timeout: 1 });
  await perch?.stop();
}, 300_000);

/** Publishes a page and reads it all the time over all gateways, until it is told to stop. */
async function readAllTheTime(id: string) {
  expect(summary(await createPage(perch.url, { id, content: '<p>read' }))).toBe('201');
  const path = `/faults/${id}`;
  const state = { answered: 0, stopped: false };
  const reading = perch.gateways.map(async (url) => {
    while (!state.stopped) {
      const seen = await readRaw(url, path);
      if (statusOf(seen) === 200) state.answered += 1;
      await Bun.sleep(10);
    }
  });
  return {
    path,
    saved: async (): Promise<number> => {
      const [row] = await sql<Array<{ views: string }>>`select views from items where id = ${id}`;
      return Number(row?.views);
    },
    /** Returns how many reads were answered. */
    async stop(): Promise<number> {
      state.stopped = true;
      await Promise.all(reading);
      return state.answered;
    },
  };
}

interface Listed {
  id: string;
  views: number;
}

const totalViews = async (): Promise<number> => {
  const seen = await send(`${perch.url}/api/stats`);
  return seen.answered ? (JSON.parse(seen.text) as { totalViews: number }).totalViews : -1;
};

/** After the loss counting goes on from what was saved, one by one, and is saved again. */
async function expectGoesOn(path: string, saved: () => Promise<number>, least: number): Promise<void> {
  const views = await viewsOf(perch.url, path);
  expect(views).toBeGreaterThanOrEqual(least);
  for (const [index, url] of [...perch.gateways, ...perch.gateways].entries()) {
    expect(statusOf(await readRaw(url, path))).toBe(200);
    expect(await viewsOf(perch.url, path)).toBe(views + index + 1);
  }
  await until('the new views are saved', async () => (await saved()) === views + 2 * perch.gateways.length);
}

test('Redis loses all it has under reads: counting goes on from the last snapshot', async () => {
  const processes = processesOf(perch);
  const reads = await readAllTheTime('flushed');
  await until('views are saved', async () => (await reads.saved()) > 0);
  const saved = await reads.saved();
  await redis.send('FLUSHALL', []);
  const seen = await viewsOf(perch.url, reads.path);
  expect(seen).toBeGreaterThanOrEqual(saved);
  await until('views are saved again', async () => (await reads.saved()) > Math.max(seen, saved));
  const answered = await reads.stop();
  // No read was counted twice, whatever was lost.
  expect(await viewsOf(perch.url, reads.path)).toBeLessThanOrEqual(answered);
  await expectGoesOn(reads.path, reads.saved, saved);
  expect(processesOf(perch)).toEqual(processes);
});

test('lists show what was saved of items that nobody has read since the loss', async () => {
  const reads = await readAllTheTime('listed');
  await until('it is read', async () => (await viewsOf(perch.url, reads.path)) > 3);
  const answered = await reads.stop();
  await until('its views are saved', async () => (await reads.saved()) === answered);
  await redis.send('FLUSHALL', []);
  for (const list of ['/api/owner/items', '/api/html?ns=faults']) {
    const seen = await send(`${perch.url}${list}`, { headers: { 'X-Owner-Token': OWNER_TOKEN } });
    const body = JSON.parse(seen.answered ? seen.text : '[]') as Listed[] | { items: Listed[] };
    const items = Array.isArray(body) ? body : body.items;
    expect(items.find(({ id }) => id === 'listed')?.views).toBe(answered);
  }
});

test('Redis killed and started empty: the views of the outage are added to the last snapshot', async () => {
  const server = serverOf(perch, 'redis');
  const before = await totalViews();
  const reads = await readAllTheTime('killed');
  await until('views are saved', async () => (await reads.saved()) > 0);
  await reads.stop();
  const counted = await viewsOf(perch.url, reads.path);
  await until('all of them are', async () => (await reads.saved()) === counted);

  // Redis comes back without the data of its disk.
  await redis.send('FLUSHALL', []);
  await server.kill();
  await untilDown(perch.url, 'cache');
  for (let read = 0; read < 10; read++) {
    expect(statusOf(await readRaw(perch.gateways[read % 2] ?? '', reads.path))).toBe(200);
  }
  expect(await viewsOf(perch.url, reads.path)).toBeGreaterThanOrEqual(counted);
  await server.start();
  for (const url of perch.gateways) await untilReady(url);
  await until('the views of the outage are saved', async () => (await reads.saved()) === counted + 10);
  await expectGoesOn(reads.path, reads.saved, counted + 10);
  const views = await viewsOf(perch.url, reads.path);
  await until('they are in the totals', async () => (await totalViews()) >= before + views);
});

test('analytics killed with views unsaved: another process, or the next, saves them', async () => {
  const [analytics] = perch.services.analytics;
  const reads = await readAllTheTime('unsaved');
  await until('it is read', async () => (await viewsOf(perch.url, reads.path)) > 5);
  await analytics?.kill();
  const answered = await reads.stop();
  expect(await viewsOf(perch.url, reads.path)).toBe(answered);
  await analytics?.start();
  await until('all views are saved', async () => (await reads.saved()) === answered);
});
