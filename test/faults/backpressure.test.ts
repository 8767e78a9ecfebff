import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { type Links, startLinks } from '../../infra/faults/links.ts';
import { isRefusal, type Seen, send, statusOf } from '../../infra/load/send.ts';
import { type Instance, startInstance } from '../instance.ts';
import { START_LIMIT_MS } from '../servers.ts';
import { createPage, OWNER_TOKEN, readRaw } from './client.ts';
import { until, untilCacheIsServed, untilReady } from './waiting.ts';

setDefaultTimeout(120_000);

/** Each round trip to PostgreSQL, in ms. */
const SLOW_MS = 500;
/** All at once are fewer than the 256 requests of Bun's client: readers must not wait in there for writers. */
const [CREATES, KEYS, READERS] = [100, 30, 10];

let links: Links;
let perch: Instance;

beforeAll(async () => {
  perch = await startInstance({
    mode: 'distributed',
    ownServers: true,
    env: { LOG_LEVEL: 'warn' },
    async envOf(env) {
      links = await startLinks(env);
      return links.envOf;
    },
  });
  await untilCacheIsServed(perch);
}, START_LIMIT_MS);

afterAll(async () => {
  await perch?.stop();
  await links?.stop();
}, START_LIMIT_MS);

const delayPostgres = (ms: number): void => {
  for (const { server, proxy } of links.proxies) if (server === 'postgres') proxy.delay(ms);
};

const headers = { 'Content-Type': 'application/json', 'X-Owner-Token': OWNER_TOKEN };

const put = (key: number, value: number): Promise<Seen> =>
  send(`${perch.url}/api/kv/slow/store/${key}`, {
    method: 'PUT',
    headers,
    body: JSON.stringify({ value }),
  });

const storedValue = async (key: number): Promise<number> => {
  const seen = await send(`${perch.url}/slow/store/${key}`);
  return seen.answered && seen.status === 200 ? Number(seen.text) : Number.NaN;
};

/** Resident memory of every process of Perch, in MB. */
const memory = async (): Promise<number[]> => {
  const { gateways, contents, kvs, sites, analytics } = perch.services;
  const pids = [gateways, contents, kvs, sites, analytics].flat().flatMap((service) => service.processes());
  const texts = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/status`, 'utf8')));
  return texts.map((text) => Number(/^VmRSS:\s+(\d+)/m.exec(text)?.[1]) / 1024);
};

const refusalsOf = async (process: { url: string } | undefined): Promise<string> =>
  (await (await fetch(`${process?.url}/metrics`)).text())
    .split('\n')
    .filter((line) => /^refusals_total\{queue="(transactions|commits)"/.test(line))
    .join();

interface Created {
  seen: Seen;
  /** Below the item's address, where it has what was sent. */
  path: string;
  content: string;
}

/** The answers in the order in which they came. */
interface Creates {
  answers: Created[];
  all: Promise<unknown>;
  statuses(): number[];
}

function create(count: number, make: (n: number) => Promise<Created>): Creates {
  const answers: Creates['answers'] = [];
  const work = Array.from({ length: count }, async (_, n) => void answers.push(await make(n)));
  return { answers, all: Promise.all(work), statuses: () => answers.map(({ seen }) => statusOf(seen)) };
}

/** Pages share commits. */
async function newPage(content: string): Promise<Created> {
  return { seen: await createPage(perch.url, { namespace: 'slow', content }), path: '', content };
}

/** Each store has a transaction of its own. */
async function newStore(value: number): Promise<Created> {
  const body = JSON.stringify({ key: 'first', value });
  const seen = await send(`${perch.url}/api/kv?ns=slow`, { method: 'POST', headers, body });
  return { seen, path: '/first', content: String(value) };
}

test('every service reaches every server by a link of its own', () => {
  const idle = links.proxies.filter(({ proxy }) => proxy.connections() === 0).map(({ proxy }) => proxy.name);
  expect([links.proxies.length, idle]).toEqual([19, []]);
});

test('with a slow database writes are refused early, cached reads go on, and nothing acknowledged is lost', async () => {
  const keys = Array.from({ length: KEYS }, (_, key) => key);
  expect(statusOf(await createPage(perch.url, { namespace: 'slow', id: 'page', content: '<p>hot' }))).toBe(
    201,
  );
  const store = { key: '0', value: -1 };
  const made = await send(`${perch.url}/api/kv?ns=slow&id=store`, {
    method: 'POST',
    headers,
    body: JSON.stringify(store),
  });
  expect(statusOf(made)).toBe(201);
  for (const key of keys) expect(isDone(await put(key, 0))).toBe(true);
  const hot = [`${perch.url}/slow/page`, `${perch.url}/slow/store/0`];
  for (const url of hot) expect(statusOf(await send(url))).toBe(200);
  const before = await memory();

  delayPostgres(SLOW_MS);
  let isOver = false;
  const reads: number[] = [];
  const readers = Array.from({ length: READERS }, async (_, n) => {
    while (!isOver) reads.push(statusOf(await send(hot[n % 2] ?? '')));
  });
  const puts = keys.map(async (key) => {
    const seen: Seen[] = [];
    for (const value of [1, 2]) seen.push(await put(key, value));
    return seen;
  });
  const pages = create(CREATES, (n) => newPage(`<p>first ${n}`));
  const stores = create(CREATES, newStore);
  await until('the first are done', async () => pages.statuses().includes(201));
  const readsBeforeFirstCreate = reads.length;
  await Promise.all([pages.all, stores.all]);
  const written = await Promise.all(puts);
  await untilReady(perch.url);
  isOver = true;
  await Promise.all(readers);
  const after = await memory();

  const creates = [...pages.answers, ...stores.answers];
  const all = [...creates.map(({ seen }) => seen), ...written.flat()];
  expect(all.filter((seen) => !isDone(seen) && !isRefusal(seen))).toEqual([]);
  expect(pages.statuses()).toContain(201);
  // Some of those that cannot all be done in time are, and the others are refused before all ahead of them are served.
  expect(stores.statuses()).toContain(503);
  expect(stores.statuses().indexOf(503)).toBeLessThan(stores.statuses().lastIndexOf(201));
  expect(new Set(reads)).toEqual(new Set([200]));
  expect(readsBeforeFirstCreate).toBeGreaterThan(2 * READERS);
  expect(await refusalsOf(perch.services.kvs[0])).toMatch(/ [1-9]/);
  for (const [index, mb] of after.entries()) expect(mb - (before[index] ?? 0)).toBeLessThan(150);

  delayPostgres(0);
  await until('writes go on', async () => isDone(await put(0, 4)));
  const again = create(20, (n) => newPage(`<p>again ${n}`));
  await again.all;
  expect(again.statuses()).toEqual(Array.from({ length: 20 }, () => 201));
  for (const { seen, path, content } of creates) {
    if (!seen.answered || seen.status !== 201) continue;
    const { namespace, id } = JSON.parse(seen.text) as { namespace: string; id: string };
    const read = await readRaw(perch.url, `/${namespace}/${id}${path}`);
    expect(read).toMatchObject({ status: 200, text: content });
  }
  for (const key of keys.slice(1)) {
    const acknowledged = (written[key] ?? []).findLastIndex(isDone) + 1;
    expect(await storedValue(key)).toBeGreaterThanOrEqual(acknowledged);
  }
});

/** Whether it was done, and acknowledged. */
function isDone(seen: Seen): boolean {
  return seen.answered && seen.status >= 200 && seen.status < 300;
}
