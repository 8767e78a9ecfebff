import { afterEach, describe, expect, test } from 'bun:test';
import { type Client, jsonOf, shortPath } from './support/client.ts';
import { atOnce, eventually } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { type EventReader, openEvents } from './support/event-reader.ts';
import {
  keyPath,
  publishStore,
  putKey,
  putText,
  removeKey,
  resolveKey,
  setKey,
  shortKeyPath,
  storePath,
} from './support/kv-client.ts';
import { sharePerch } from './support/perch.ts';
import { rawRequest } from './support/socket.ts';

const perch = sharePerch();

const opened: EventReader[] = [];
afterEach(() => {
  for (const reader of opened.splice(0)) reader.close();
});

const open = async (client: Client, path: string, headers: Record<string, string> = {}) => {
  const reader = await openEvents(`${client.url}${path}`, headers);
  opened.push(reader);
  return reader;
};

/** The event with a value, passing over those that came before it. */
const untilValue = async (reader: EventReader, value: unknown) => {
  for (;;) {
    const event = await reader.next();
    if (event === null) throw new Error(`the stream ended before ${JSON.stringify(value)}`);
    if (event.data === JSON.stringify(value)) return event;
  }
};

/** The id of an event: the version, and a number of the value's own. */
const idOf = (version: number): string =>
  expect.stringMatching(new RegExp(`^${version}\\.\\d+$`)) as unknown as string;

const owner = ({ ownerToken }: { ownerToken: string }) => ({ headers: { 'X-Owner-Token': ownerToken } });

describe('a stream of a store', () => {
  /** Events until the store has so many keys. */
  const untilCount = async (reader: EventReader, count: number) => await untilValue(reader, { count });

  test('tells of each change of its keys, on every gateway, and of its end', async () => {
    const store = await publishStore(perch, { value: 1 });
    const readers = await Promise.all(perch.clients.map((client) => open(client, shortPath(store))));
    const first = await Promise.all(readers.map((reader) => untilCount(reader, 1)));
    expect(new Set(first.map(({ id }) => id)).size).toBe(1);
    await setKey(perch, store, 'second', 'x');
    for (const reader of readers) await untilCount(reader, 2);
    await setKey(perch, store, 'second', 'y');
    const second = await Promise.all(readers.map((reader) => reader.next()));
    expect(second.map((event) => event?.data)).toEqual(readers.map(() => '{"count":2}'));
    await removeKey(perch, store, 'second');
    const third = await Promise.all(readers.map((reader) => untilCount(reader, 1)));
    // Keys and values as before have the name they had.
    expect(third.map(({ id }) => id)).toEqual(first.map(({ id }) => id));
    await perch.request(storePath(store), { method: 'DELETE', ...owner(store) });
    for (const reader of readers) expect((await reader.next())?.event).toBe('gone');
  });

  test('leaves out what its reader has seen', async () => {
    const store = await publishStore(perch, { value: 1 });
    const known = await (await open(perch, shortPath(store))).next();
    const again = await open(perch, shortPath(store), { 'Last-Event-ID': known?.id ?? '' });
    await setKey(perch, store, 'second', 'x');
    expect((await again.next())?.data).toBe('{"count":2}');
  });
});

describe('a stream of events', () => {
  for (const [name, pathOf] of [
    ['the API', keyPath],
    ['the short URL', shortKeyPath],
  ] as const)
    test(`at ${name} begins with the value now, and has each later one, on every gateway`, async () => {
      const store = await publishStore(perch, { value: { a: 1 } });
      const readers = await Promise.all(perch.clients.map((client) => open(client, pathOf(store, 'first'))));
      for (const reader of readers) {
        expect(reader.status).toBe(200);
        expect(reader.headers['content-type']).toBe('text/event-stream');
        expect(reader.headers['cache-control']).toBe('no-store, no-transform');
        expect(reader.headers['x-accel-buffering']).toBe('no');
        expect(reader.headers['access-control-allow-origin']).toBe('*');
        expect(await reader.next()).toEqual({ event: 'message', id: idOf(1), data: '{"a":1}' });
      }
      for (const [n, client] of [...perch.clients, ...perch.clients].entries()) {
        await setKey(client, store, 'first', `värde ${n}`);
        for (const reader of readers)
          expect(await reader.next()).toEqual({ event: 'message', id: idOf(n + 2), data: `"värde ${n}"` });
      }
      // Numbers are as they were written, and changes by increment are told, too.
      await putText(perch, store, 'first', '[1.50]');
      for (const reader of readers) expect((await reader.next())?.data).toBe('[1.50]');
    });

  test('comes to who asks for it, also where the plain value is read all the time', async () => {
    const store = await publishStore(perch, { value: 'hot' });
    for (const client of perch.clients) {
      for (let n = 0; n < 10; n++) expect((await resolveKey(client, store, 'first')).status).toBe(200);
      const reader = await open(client, shortKeyPath(store, 'first'));
      expect(await reader.next()).toMatchObject({ data: '"hot"' });
      expect(await (await resolveKey(client, store, 'first')).text()).toBe('hot');
    }
  });

  test('goes on from a Last-Event-ID: the latest value if it is another, else nothing until it is', async () => {
    const store = await publishStore(perch, { value: 'one' });
    await setKey(perch, store, 'first', 'two');
    const known = await (await open(perch, keyPath(store, 'first'))).next();
    const [same, older] = await Promise.all(
      [known?.id ?? '', '1.1'].map((id) =>
        open(perch.last, keyPath(store, 'first'), { 'Last-Event-ID': id }),
      ),
    );
    expect(await older?.next()).toMatchObject({ id: idOf(2), data: '"two"' });
    expect(same?.status).toBe(200);
    await setKey(perch, store, 'first', 'three');
    for (const reader of [same, older]) expect(await reader?.next()).toMatchObject({ id: idOf(3) });
  });

  test('tells who comes back of a key that was removed and made again meanwhile', async () => {
    const store = await publishStore(perch, { key: 'kept', value: 0 });
    await setKey(perch, store, 'k', 'one');
    const known = await (await open(perch, keyPath(store, 'k'))).next();
    expect((await removeKey(perch, store, 'k')).status).toBe(204);
    await setKey(perch, store, 'k', 'another');
    const back = await open(perch.last, keyPath(store, 'k'), { 'Last-Event-ID': known?.id ?? '' });
    expect(await back.next()).toMatchObject({ id: idOf(1), data: '"another"' });
  });

  test('tells of increments and appends, and gets the latest of many quick writes', async () => {
    const store = await publishStore(perch, { key: 'n', value: 0 });
    const readers = await Promise.all(perch.clients.map((client) => open(client, shortKeyPath(store, 'n'))));
    await atOnce(40, () =>
      perch.request(`${keyPath(store, 'n')}/increment`, { method: 'POST', ...owner(store) }),
    );
    for (const reader of readers) {
      let last = -1;
      while (last < 40) {
        const value = Number((await reader.next())?.data);
        expect(value).toBeGreaterThan(last);
        last = value;
      }
      expect(last).toBe(40);
    }
  });

  test('of a value too large for the cache has it whole', async () => {
    const store = await publishStore(perch, { value: 'x'.repeat(100_000) });
    const reader = await open(perch.last, keyPath(store, 'first'));
    expect((await reader.next())?.data.length).toBe(100_002);
    await setKey(perch, store, 'first', 'y'.repeat(1_000_000));
    expect(await reader.next()).toMatchObject({ id: idOf(2), data: JSON.stringify('y'.repeat(1_000_000)) });
    await setKey(perch, store, 'first', 'small');
    expect(await reader.next()).toMatchObject({ id: idOf(3), data: '"small"' });
  });

  test('ends with gone when the key, or the store, is removed', async () => {
    for (const remove of [
      (store: Parameters<typeof removeKey>[1]) => removeKey(perch, store, 'first'),
      (store: Parameters<typeof removeKey>[1]) =>
        perch.request(storePath(store), { method: 'DELETE', ...owner(store) }),
    ]) {
      const store = await publishStore(perch);
      const readers = await Promise.all(
        perch.clients.flatMap((client) =>
          [keyPath, shortKeyPath].map((path) => open(client, path(store, 'first'))),
        ),
      );
      for (const reader of readers) await reader.next();
      expect((await remove(store)).status).toBe(204);
      for (const reader of readers) {
        expect(await reader.next()).toMatchObject({ event: 'gone' });
        expect(await reader.next()).toBeNull();
      }
    }
  });

  test('of a store with a password is for those who have it', async () => {
    const password = { 'X-Password': 'correct horse' };
    const store = await publishStore(perch, { value: 1 }, { headers: password });
    const [closed, wrong, right, byOwner] = await Promise.all([
      open(perch.last, keyPath(store, 'first')),
      open(perch.last, keyPath(store, 'first'), { 'X-Password': 'wrong' }),
      open(perch.last, `${keyPath(store, 'first')}?p=correct%20horse`),
      open(perch.last, shortKeyPath(store, 'first'), { 'X-Owner-Token': store.ownerToken }),
    ]);
    expect([closed?.status, wrong?.status, right?.status, byOwner?.status]).toEqual([403, 403, 200, 200]);
    await setKey(perch, store, 'first', 2);
    for (const reader of [right, byOwner]) await untilValue(reader as EventReader, 2);
  });

  test('is not for what is not there, nor for those who prefer JSON, and is empty for HEAD', async () => {
    const store = await publishStore(perch);
    expect((await open(perch, keyPath(store, 'missing'))).status).toBe(404);
    expect((await open(perch, keyPath({ ...store, id: 'missing' }, 'first'))).status).toBe(404);
    for (const accept of [
      '*/*',
      'application/json, text/event-stream',
      'text/event-stream;q=0.1, */*',
      'text/html',
    ])
      expect(
        (await open(perch, keyPath(store, 'first'), { Accept: accept })).headers['content-type'],
      ).toStartWith('application/json');
    const head = await rawRequest(perch.url, `HEAD ${keyPath(store, 'first')}`, [
      'User-Agent: Tests/1',
      'Accept: text/event-stream',
    ]);
    expect([head.status, head.headers['content-type'], head.body]).toEqual([200, 'text/event-stream', '']);
    // A GET has no length either.
    expect(head.headers).not.toHaveProperty('content-length');
  });

  test('counts as one watcher while it lasts, and one view', async () => {
    const store = await publishStore(perch);
    const readers = await Promise.all(
      Array.from({ length: 5 }, () => open(perch, shortKeyPath(store, 'first'))),
    );
    for (const reader of readers) await reader.next();
    await setKey(perch, store, 'first', 2);
    for (const reader of readers) await reader.next();
    expect(Number((await resolveKey(perch, store, 'first')).headers.get('X-Views'))).toBe(6);
    for (const reader of readers) reader.close();
  });
});

describe('a read that waits', () => {
  const wait = async (client: Client, path: string, etag: string, seconds = 30) =>
    await client.request(`${path}?wait=${seconds}`, { headers: { 'If-None-Match': etag } });
  const etagAt = async (path: string) => (await perch.request(path)).headers.get('ETag') ?? '';

  for (const [name, pathOf] of [
    ['the API', keyPath],
    ['the short URL', shortKeyPath],
  ] as const) {
    test(`at ${name} is answered with the next value, on every gateway`, async () => {
      const store = await publishStore(perch, { value: 'one' });
      const path = pathOf(store, 'first');
      const etag = await etagAt(path);
      const waiting = perch.clients.map((client) => wait(client, path, etag));
      await Bun.sleep(100);
      const next = (await putKey(perch.last, store, 'first', 'two')).headers.get('ETag');
      for (const response of await Promise.all(waiting)) {
        expect([response.status, response.headers.get('ETag')]).toEqual([200, next]);
        expect(await response.text()).toContain('two');
      }
    });

    test(`at ${name} is 304 at the end of its time, and at once answered when there is nothing to wait for`, async () => {
      const store = await publishStore(perch, { value: 'one' });
      const path = pathOf(store, 'first');
      const etag = await etagAt(path);
      expect((await wait(perch.last, path, etag, 1)).status).toBe(304);
      expect((await wait(perch.last, path, etag, 0)).status).toBe(304);
      expect((await wait(perch.last, path, '"another"')).status).toBe(200);
      expect((await perch.last.request(`${path}?wait=30`)).status).toBe(200);
      const head = await perch.request(`${path}?wait=30`, {
        method: 'HEAD',
        headers: { 'If-None-Match': etag },
      });
      expect(head.status).toBe(304);
    });

    test(`at ${name} is told when what it waits for is gone`, async () => {
      const store = await publishStore(perch);
      const path = pathOf(store, 'first');
      const waiting = wait(perch.last, path, await etagAt(path));
      await Bun.sleep(100);
      await removeKey(perch, store, 'first');
      await expectError(await waiting, 404, 'NOT_FOUND');
    });
  }

  test('takes no place any more when its client has gone', async () => {
    const store = await publishStore(perch);
    const path = keyPath(store, 'first');
    const etag = await etagAt(path);
    const waiting = async (): Promise<number> => {
      const text = await (await perch.request('/metrics')).text();
      return Number(/^live_watchers\{[^}]*kind="wait"[^}]*\} (\d+)/m.exec(text)?.[1]);
    };
    await eventually(async () => (await waiting()) === 0);
    const gone = new AbortController();
    const asked = fetch(`${perch.url}${path}?wait=30`, {
      headers: { 'If-None-Match': etag, 'User-Agent': 'PerchTests/1' },
      signal: gone.signal,
    }).catch(() => null);
    await eventually(async () => (await waiting()) === 1);
    gone.abort();
    await asked;
    await eventually(async () => (await waiting()) === 0, 20_000);
  });

  test('takes whole seconds up to 30', async () => {
    const store = await publishStore(perch);
    for (const seconds of ['31', '-1', '1.5', 'x', '1e1', '99999'])
      for (const path of [keyPath(store, 'first'), shortKeyPath(store, 'first')])
        await expectError(await perch.request(`${path}?wait=${seconds}`), 400, 'VALIDATION_FAILED');
  });

  test('of 200 clients at once leaves room for others', async () => {
    const store = await publishStore(perch);
    const path = keyPath(store, 'first');
    const etag = await etagAt(path);
    const answers = atOnce(90, () => wait(perch, path, etag));
    await Bun.sleep(200);
    expect((await perch.publish('<p>meanwhile')).id).not.toBe('');
    await setKey(perch, store, 'first', 2);
    for (const response of await answers) expect(response.status).toBe(200);
  });
});

test('watchers are counted in the metrics, and not after they have left', async () => {
  const store = await publishStore(perch, { key: 'seen', value: 1 });
  const metric = async (name: string): Promise<number> => {
    const text = await (await perch.request('/metrics')).text();
    return Number(new RegExp(`^${name}\\{[^}]*kind="stream"[^}]*\\} (\\d+)`, 'm').exec(text)?.[1]);
  };
  // Streams of the tests before may be about to end.
  await eventually(async () => (await metric('live_watchers')) === 0);
  const readers = await Promise.all([1, 2, 3].map(() => open(perch, keyPath(store, 'seen'))));
  for (const reader of readers) await reader.next();
  await eventually(async () => (await metric('live_watchers')) === 3);
  for (const reader of readers) reader.close();
  await eventually(async () => (await metric('live_watchers')) === 0);
});

test('a page is as it was for those who ask for events of it', async () => {
  const page = await perch.publish('<p>page');
  const reader = await open(perch, shortPath(page));
  expect([reader.status, reader.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(await jsonOf(await perch.request(`/api/limits`))).toBeDefined();
});
