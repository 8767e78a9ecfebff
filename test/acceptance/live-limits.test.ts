import { afterEach, expect, test } from 'bun:test';
import { type Client, ownedBy, raw, shortPath } from './support/client.ts';
import { eventually } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { type EventReader, openEvents } from './support/event-reader.ts';
import { keyPath, publishStore, setKey, shortKeyPath } from './support/kv-client.ts';
import { usePerch } from './support/perch.ts';

/** Watchers that one client may have. */
const LIMIT = 3;
/** A day of a lifetime, in seconds: long enough to follow a store before its end, on a busy machine, too. */
const DAY = 12;

const perch = usePerch({
  env: {
    LIMIT_WATCHERS_PER_CLIENT: String(LIMIT),
    TRUST_PROXY: '1',
    TTL_DAY_SECONDS: String(DAY),
    SWEEP_INTERVAL_SECONDS: '600',
  },
});

const opened: EventReader[] = [];
afterEach(() => {
  for (const reader of opened.splice(0)) reader.close();
});

const open = async (path: string, from: string, client: Client = perch) => {
  const reader = await openEvents(`${client.url}${path}`, { 'X-Forwarded-For': from });
  opened.push(reader);
  return reader;
};

test('a client follows so many values at once, by streams and waits together; others are not in its way', async () => {
  const store = await publishStore(perch, {}, { query: { ttl: 30 } });
  const path = keyPath(store, 'first');
  const from = { 'X-Forwarded-For': '10.1.0.1' };
  const readers = await Promise.all([open(path, '10.1.0.1'), open(shortKeyPath(store, 'first'), '10.1.0.1')]);
  for (const reader of readers) await reader.next();
  const etag = (await perch.request(path)).headers.get('ETag') ?? '';
  const waiting = perch.request(`${path}?wait=30`, { headers: { ...from, 'If-None-Match': etag } });
  await eventually(async () => {
    const metrics = await (await perch.request('/metrics')).text();
    return /^live_watchers\{[^}]*kind="wait"[^}]*\} 1$/m.test(metrics);
  });
  const refused = await perch.request(path, { headers: { ...from, Accept: 'text/event-stream' } });
  expect(refused.headers.get('Retry-After')).toBe('15');
  await expectError(refused, 429, 'RATE_LIMITED');
  await expectError(
    await perch.request(`${path}?wait=30`, { headers: { ...from, 'If-None-Match': etag } }),
    429,
    'RATE_LIMITED',
  );
  // Plain reads of that client go on, and streams of others.
  expect((await perch.request(path, { headers: from })).status).toBe(200);
  expect((await open(path, '10.1.0.2')).status).toBe(200);
  // A place that is given up is free again.
  readers[0]?.close();
  await eventually(async () => (await open(path, '10.1.0.1')).status === 200);
  await setKey(perch, store, 'first', 2);
  expect((await waiting).status).toBe(200);
});

test('the time of a store ends what follows its keys, a renewal does not', async () => {
  const [ending, renewed] = [await publishStore(perch, {}, { query: { ttl: 1 } }), await publishStore(perch)];
  const readers = await Promise.all([
    open(keyPath(ending, 'first'), '10.2.0.1'),
    open(keyPath(renewed, 'first'), '10.2.0.1'),
  ]);
  for (const reader of readers) await reader.next();
  const etag = (await perch.request(shortKeyPath(ending, 'first'))).headers.get('ETag') ?? '';
  const waiting = perch.request(`${shortKeyPath(ending, 'first')}?wait=30`, {
    headers: { 'If-None-Match': etag },
  });
  expect(
    (await perch.request(`/api${shortPath(renewed)}/renew`, { method: 'POST', ...ownedBy(renewed) })).ok,
  ).toBe(true);
  expect(await readers[0]?.next()).toMatchObject({ event: 'gone' });
  expect(await readers[0]?.next()).toBeNull();
  expect((await waiting).status).toBe(404);
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(ending.expiresAt));
  await setKey(perch, renewed, 'first', 'still there');
  expect((await readers[1]?.next())?.data).toBe('"still there"');
});

test('a page with new content tells its version, a renewed one does not', async () => {
  const page = await perch.publish('<p>first', { query: { showTopBar: true, ttl: 30 } });
  const address = `${shortPath(page)}?live=1`;
  const reader = await open(address, '10.3.0.1');
  expect(reader.headers['content-type']).toBe('text/event-stream');
  const first = await reader.next();
  expect(JSON.parse(first?.data ?? '')).toEqual({ updatedAt: expect.any(String) });
  expect(await (await perch.request(address)).text()).toContain(`data-version="${first?.id}"`);
  await perch.request(`/api${shortPath(page)}/renew`, { method: 'POST', ...ownedBy(page) });
  await perch.api(page, { method: 'PUT', ...raw('<p>second', 'text/html', ownedBy(page)) });
  const second = await reader.next();
  expect(second?.id).not.toBe(first?.id ?? '');
  expect(await (await perch.request(address)).text()).toContain(`data-version="${second?.id}"`);
  await perch.api(page, { method: 'DELETE', ...ownedBy(page) });
  expect(await reader.next()).toMatchObject({ event: 'gone' });
});
