import { beforeAll, expect, test } from 'bun:test';
import { type LiveValue, Perch, PerchConnectionError, PerchError } from 'perch-client';
import { clientInstance } from './instance.ts';

let perch: Perch;

beforeAll(async () => {
  const { url } = await clientInstance();
  const { ownerToken } = await new Perch({ url }).createOwnerToken();
  perch = new Perch({ url, ownerToken });
}, 60_000);

test('a key is followed from its value now to its end', async () => {
  const store = await perch.kv.create('step', 1);
  const values = perch.kv.watch(store, 'step', { intervalMs: 20 });
  const next = async (): Promise<unknown> => (await values.next()).value;
  expect(await next()).toMatchObject({ value: 1 });
  await perch.kv.set(store, 'step', { two: true });
  expect(await next()).toMatchObject({ value: { two: true } });
  await perch.kv.set(store, 'step', 'three');
  expect(await next()).toMatchObject({ value: 'three' });
  await perch.kv.removeKey(store, 'step');
  expect(await values.next()).toEqual({ done: true, value: undefined });
});

test('a key that was never there is an error, and a signal ends the watch', async () => {
  const store = await perch.kv.create('here', 1);
  const failure = await perch.kv
    .watch(store, 'elsewhere')
    .next()
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(PerchError);
  const stop = new AbortController();
  const values = perch.kv.watch(store, 'here', { signal: stop.signal, intervalMs: 60_000 });
  expect((await values.next()).done).toBe(false);
  const end = values.next();
  stop.abort();
  expect((await end).done).toBe(true);
});

test('server-sent events are taken where they are offered, and continued after a break', async () => {
  const continuedAt: Array<string | null> = [];
  const streams = [
    ': hello\n\nid: 7\ndata: {"a":1}\n\nid: 8\ndata: [1,\ndata: 2]\n\n',
    'id: 8\ndata: [1,\ndata: 2]\n\nid: 9\ndata: "ü"\n\nevent: gone\ndata:\n\n',
  ];
  using server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      continuedAt.push(request.headers.get('Last-Event-ID'));
      return new Response(streams.shift(), { headers: { 'Content-Type': 'text/event-stream' } });
    },
  });
  const seen: Array<LiveValue<unknown>> = [];
  const item = { namespace: 'public', id: 'x' };
  for await (const live of new Perch({ url: server.url }).kv.watch(item, 'key')) seen.push(live);
  expect(seen).toEqual([
    { version: 7, value: { a: 1 }, valueText: '{"a":1}' },
    { version: 8, value: [1, 2], valueText: '[1,\n2]' },
    { version: 9, value: 'ü', valueText: '"ü"' },
  ]);
  expect(continuedAt).toEqual([null, '8']);
});

test('a server that offers no events is asked again and again, with what was seen', async () => {
  const askedWith: Array<string | null> = [];
  const answer = (version: number, value: string): Response =>
    new Response(`{"key":"key","value":${value},"version":${version}}`, {
      headers: { ETag: `"${version}"` },
    });
  const answers = [
    answer(1, '12345678901234567890'),
    new Response(null, { status: 304 }),
    answer(2, '[1.0]'),
    Response.json({ code: 'NOT_FOUND', message: 'gone' }, { status: 404 }),
  ];
  using server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      askedWith.push(request.headers.get('If-None-Match'));
      return answers.shift() ?? new Response(null, { status: 500 });
    },
  });
  const seen: Array<LiveValue<unknown>> = [];
  const values = new Perch({ url: server.url }).kv.watch({ namespace: 'public', id: 'x' }, 'key', {
    intervalMs: 1,
  });
  for await (const live of values) seen.push(live);
  expect(seen).toEqual([
    { version: 1, value: Number('12345678901234567890'), valueText: '12345678901234567890' },
    { version: 2, value: [1], valueText: '[1.0]' },
  ]);
  expect(askedWith).toEqual([null, '"1"', '"1"', '"2"']);
});

/** Answers with these one after the other, then says that the key is gone. */
const answering = (answers: Array<() => Response>) =>
  Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => answers.shift()?.() ?? Response.json({ code: 'NOT_FOUND', message: '' }, { status: 404 }),
  });

const plain = (version: number, value: string, etag: string) => () =>
  new Response(`{"key":"key","value":${value},"version":${version}}`, { headers: { ETag: etag } });

const failing = (status: number) => () =>
  Response.json({ code: 'UNAVAILABLE', message: '' }, { status, headers: { 'Retry-After': '0' } });

const broken = () => new Response('no gzip', { headers: { 'Content-Encoding': 'gzip' } });

async function valuesFrom(server: { url: URL }): Promise<unknown[]> {
  const perch = new Perch({ url: server.url, retry: { attempts: 1 } });
  const seen: unknown[] = [];
  const item = { namespace: 'public', id: 'x' };
  for await (const { value } of perch.kv.watch(item, 'key', { intervalMs: 1 })) seen.push(value);
  return seen;
}

test('an outage does not end a watch that has had a value', async () => {
  const page = () => new Response('<h1>Under maintenance</h1>', { headers: { 'Content-Type': 'text/html' } });
  const outage = [failing(503), failing(429), failing(523), broken, page];
  using server = answering([plain(1, '"a"', '"1"'), ...outage, plain(2, '"b"', '"2"')]);
  expect(await valuesFrom(server)).toEqual(['a', 'b']);
  using away = answering([failing(503), plain(1, '"a"', '"1"')]);
  await expect(valuesFrom(away)).rejects.toThrow(PerchError);
  using unreadable = answering([broken]);
  await expect(valuesFrom(unreadable)).rejects.toThrow(PerchConnectionError);
});

test('a 404 or 410 that is not of a Perch does not end a watch that has had a value', async () => {
  const missing = (status: number) => () =>
    new Response('404 page not found', { status, headers: { 'Retry-After': '0' } });
  const other = () => Response.json({ error: 'no route' }, { status: 404, headers: { 'Retry-After': '0' } });
  const outage = [missing(404), missing(410), other];
  using server = answering([plain(1, '"a"', '"1"'), ...outage, plain(2, '"b"', '"2"')]);
  expect(await valuesFrom(server)).toEqual(['a', 'b']);
  using away = answering([missing(404), plain(1, '"a"', '"1"')]);
  await expect(valuesFrom(away)).rejects.toMatchObject({ status: 404, code: null });
});

test('a server that is away for a while is asked until it is back', async () => {
  const first = answering([plain(1, '"a"', '"1"')]);
  const { port, url } = first;
  const values = new Perch({ url, retry: { attempts: 1 } }).kv.watch(
    { namespace: 'public', id: 'x' },
    'key',
    {
      intervalMs: 1,
    },
  );
  expect((await values.next()).value).toMatchObject({ value: 'a' });
  await first.stop(true);
  const next = values.next();
  await Bun.sleep(300);
  using _ = Bun.serve({ port: port ?? 0, hostname: '127.0.0.1', fetch: plain(2, '"b"', '"2"') });
  expect((await next).value).toMatchObject({ value: 'b' });
});

test('a key that was removed and written again is seen, although its versions begin again', async () => {
  const events =
    (...texts: string[]) =>
    () =>
      new Response(texts.map((text) => `${text}\n\n`).join(''), {
        headers: { 'Content-Type': 'text/event-stream' },
      });
  using asked = answering([plain(1, '"a"', '"1"'), plain(1, '"b"', '"2"'), plain(1, '"b"', '"3"')]);
  expect(await valuesFrom(asked)).toEqual(['a', 'b', 'b']);
  using told = answering([
    events('id: 1\ndata: "a"', 'id: 1\ndata: "a"'),
    events('id: 1\ndata: "a"', 'id: 1\ndata: "b"'),
    events('id: 1\ndata: "c"', 'event: gone\ndata: {}'),
  ]);
  expect(await valuesFrom(told)).toEqual(['a', 'a', 'b', 'c']);
});

test('a key of a real store is seen when it was removed and written again between two looks', async () => {
  const store = await perch.kv.create('again', 'first');
  // Without its Accept the service offers no events.
  const asking = new Perch({
    url: perch.url,
    fetch: (input, init) => {
      const headers = new Headers(init.headers);
      headers.set('Accept', 'application/json');
      return fetch(input, { ...init, headers });
    },
  });
  const values = asking.kv.watch(store, 'again', { intervalMs: 300 });
  expect((await values.next()).value).toMatchObject({ value: 'first', version: 1 });
  const next = values.next();
  await perch.kv.removeKey(store, 'again');
  await perch.kv.set(store, 'again', 'second');
  expect((await next).value).toMatchObject({ value: 'second', version: 1 });
});
