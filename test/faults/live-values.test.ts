import { afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { type EventReader, openEvents } from '../acceptance/support/event-reader.ts';
import { useStarted } from '../started.ts';
import { OWNER_TOKEN, send, statusOf } from './client.ts';
import { serverOf, sharedOnOwnServers } from './own-servers.ts';
import { untilCacheIsServed, untilDown, untilReady } from './waiting.ts';

setDefaultTimeout(120_000);

const perch = useStarted(sharedOnOwnServers);
beforeAll(() => untilCacheIsServed(perch));

const opened: EventReader[] = [];
afterEach(() => {
  for (const reader of opened.splice(0)) reader.close();
});

const HEADERS = { 'Content-Type': 'application/json', 'X-Owner-Token': OWNER_TOKEN };

async function newStore(id: string): Promise<string> {
  const body = JSON.stringify({ key: 'n', value: 0 });
  const made = await send(`${perch.url}/api/kv?ns=faults&id=${id}`, {
    method: 'POST',
    headers: HEADERS,
    body,
  });
  expect(statusOf(made)).toBe(201);
  return `/faults/${id}/n`;
}

const put = (path: string, value: unknown) =>
  send(`${perch.url}/api/kv${path}`, { method: 'PUT', headers: HEADERS, body: JSON.stringify({ value }) });

/** A write that is done in the end, whoever is away meanwhile. */
async function putAtLast(path: string, value: unknown): Promise<void> {
  while (statusOf(await put(path, value)) !== 200) await Bun.sleep(100);
}

async function follow(path: string): Promise<EventReader> {
  const reader = await openEvents(`${perch.url}${path}`);
  opened.push(reader);
  return reader;
}

/** The events until a value; each is newer than the one before. */
async function untilValue(reader: EventReader, value: unknown): Promise<void> {
  let version = 0;
  for (;;) {
    const event = await reader.next();
    if (event === null) throw new Error(`the stream ended before ${JSON.stringify(value)}`);
    expect(Number(event.id)).toBeGreaterThan(version);
    version = Number(event.id);
    if (event.data === JSON.stringify(value)) return;
  }
}

test('NATS away and back: streams stay, and have the latest value', async () => {
  const path = await newStore('live-nats');
  const readers = await Promise.all([follow(path), follow(path)]);
  for (const reader of readers) await untilValue(reader, 0);
  const nats = serverOf(perch, 'nats');
  for (const round of [1, 2]) {
    await nats.kill();
    await untilDown(perch.url, 'bus', 'content');
    // A client that comes meanwhile gets the value from the cache, and follows from there.
    const meanwhile = await follow(path);
    await untilValue(meanwhile, round === 1 ? 0 : 'after round 1');
    await nats.start();
    await untilReady(perch.url);
    await putAtLast(path, `after round ${round}`);
    for (const reader of [...readers, meanwhile]) await untilValue(reader, `after round ${round}`);
  }
});

test('kv killed while it writes: who follows sees what is in the end, and nothing older after it', async () => {
  const path = await newStore('live-kv');
  const reader = await follow(path);
  await untilValue(reader, 0);
  const [kv] = perch.services.kvs;
  if (kv === undefined) throw new Error('there is no kv process');
  for (let round = 0; round < 3; round++) {
    const writes = Array.from({ length: 20 }, (_, n) => put(path, `${round} ${n}`));
    await kv.kill();
    await Promise.all(writes);
    await kv.start();
    await putAtLast(path, `end of ${round}`);
    await untilValue(reader, `end of ${round}`);
  }
});

test('50 writers increment while kv is killed: with their Idempotency-Keys each counts once', async () => {
  const path = await newStore('live-count');
  const [kv] = perch.services.kvs;
  if (kv === undefined) throw new Error('there is no kv process');
  const increment = async (): Promise<void> => {
    const headers = { ...HEADERS, 'Idempotency-Key': crypto.randomUUID() };
    const once = () => send(`${perch.url}/api/kv${path}/increment`, { method: 'POST', headers });
    while (statusOf(await once()) !== 200) await Bun.sleep(50);
  };
  const all = Promise.all(
    Array.from({ length: 50 }, async () => {
      for (let n = 0; n < 4; n++) await increment();
    }),
  );
  for (let round = 0; round < 3; round++) {
    await Bun.sleep(100);
    await kv.kill();
    await kv.start();
  }
  await all;
  const reader = await follow(path);
  await untilValue(reader, 200);
});

test('Redis away: values are told all the same', async () => {
  const path = await newStore('live-redis');
  const reader = await follow(path);
  await untilValue(reader, 0);
  const redis = serverOf(perch, 'redis');
  await redis.kill();
  await putAtLast(path, 'without a cache');
  await untilValue(reader, 'without a cache');
  await redis.start();
  await untilReady(perch.url);
  await untilCacheIsServed(perch);
  await putAtLast(path, 'with it again');
  await untilValue(reader, 'with it again');
});
