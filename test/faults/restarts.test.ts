import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Instance } from '../instance.ts';
import {
  createPage,
  OWNER_TOKEN,
  readRaw,
  removePage,
  type Seen,
  send,
  summary,
  updatePage,
} from './client.ts';
import { processesOf, serverOf, startOnOwnServers } from './own-servers.ts';
import { untilCacheIsServed, untilDown, untilReady } from './waiting.ts';

setDefaultTimeout(120_000);

const JSON_BODY = { 'Content-Type': 'application/json', 'X-Owner-Token': OWNER_TOKEN };

let perch: Instance;
let code: string;

const putKey = (key: string, value: number): Promise<Seen> =>
  send(`${perch.url}/api/kv/faults/store/${key}`, {
    method: 'PUT',
    headers: JSON_BODY,
    body: JSON.stringify({ value }),
  });

beforeAll(async () => {
  perch = await startOnOwnServers();
  const page = await createPage(perch.url, { id: 'page', content: '<p>page' });
  if (!page.answered) throw new Error(page.reason);
  code = (JSON.parse(page.text) as { shortUrl: string }).shortUrl.split('/').at(-1) ?? '';
  const store = { method: 'POST', headers: JSON_BODY, body: JSON.stringify({ key: 'first', value: 1 }) };
  expect(summary(await send(`${perch.url}/api/kv?ns=faults&id=store`, store))).toBe('201');
  expect(summary(await readRaw(perch.url, '/faults/page'))).toBe('200');
  await untilCacheIsServed(perch);
}, 300_000);
afterAll(() => perch?.stop(), 300_000);

/** One request of each sort that needs the services, and what it is answered; `name` is new each time. */
const askAll = async (name: string): Promise<Record<string, string>> => {
  const asked = {
    shortCode: send(`${perch.url}/s/${code}`),
    unknown: readRaw(perch.url, '/faults/unknown'),
    keys: send(`${perch.url}/faults/store`),
    gallery: send(`${perch.url}/api/gallery`),
    replacedKey: putKey('first', 2),
    newKey: putKey(name, 1),
    page: createPage(perch.url, { id: name, content: `<p>${name}` }),
    update: updatePage(perch.url, '/faults/page', `<p>page ${name}`),
  };
  return Object.fromEntries(
    await Promise.all(Object.entries(asked).map(async ([sort, answer]) => [sort, summary(await answer)])),
  );
};
const ALL_WELL = {
  shortCode: '200',
  unknown: '404 NOT_FOUND',
  keys: '200',
  gallery: '200',
  replacedKey: '200',
  newKey: '200',
  page: '201',
  update: '200',
};

test.each(['nats', 'postgres'] as const)(
  'what is asked while %s restarts waits for it, and is done once',
  async (name) => {
    const server = serverOf(perch, name);
    const before = processesOf(perch);
    expect(await askAll(`${name}-before`)).toEqual(ALL_WELL);
    await server.stop();
    // Whatever leaves before the loss is noticed counts as sent.
    if (name === 'nats') await untilDown(perch.url, 'bus');
    const hot = await readRaw(perch.url, '/faults/page');
    expect(hot).toMatchObject({ status: 200, text: `<p>page ${name}-before` });
    const answers = askAll(`${name}-meanwhile`);
    await server.start();
    expect(await answers).toEqual(ALL_WELL);
    expect(await readRaw(perch.url, `/faults/${name}-meanwhile`)).toMatchObject({ status: 200 });
    expect(processesOf(perch)).toEqual(before);
  },
);

test('while Redis restarts, all is answered without it', async () => {
  const redis = serverOf(perch, 'redis');
  await redis.stop();
  expect(await askAll('redis')).toEqual(ALL_WELL);
  await redis.start();
  await untilReady(perch.url);
});

test('while S3 restarts, what gateways have in memory and what needs no bytes goes on; contents are refused', async () => {
  const s3 = serverOf(perch, 's3');
  expect(summary(await readRaw(perch.url, '/faults/page'))).toBe('200');
  await s3.stop();
  expect(summary(await readRaw(perch.url, '/faults/page'))).toBe('200');
  expect(await askAll('s3')).toEqual({ ...ALL_WELL, page: '503 UNAVAILABLE', update: '503 UNAVAILABLE' });
  expect(summary(await removePage(perch.url, '/faults/redis'))).toBe('204');
  await s3.start();
  await untilReady(perch.url);
  expect(summary(await createPage(perch.url, { id: 's3', content: '<p>s3' }))).toBe('201');
});
