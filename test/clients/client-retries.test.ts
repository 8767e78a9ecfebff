import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { openAsBlob } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Perch,
  PerchConnectionError,
  PerchContentError,
  PerchError,
  PerchUncertainError,
  type UploadSource,
} from 'perch-client';
import { clientInstance } from './instance.ts';
import { startUnsteadyProxy, type UnsteadyProxy } from './unsteady-proxy.ts';

let proxy: UnsteadyProxy;
let perch: Perch;

beforeAll(async () => {
  proxy = await startUnsteadyProxy((await clientInstance()).url);
}, 60_000);
afterAll(() => proxy.stop());
beforeEach(async () => {
  const { ownerToken } = await new Perch({ url: proxy.url }).createOwnerToken();
  perch = new Perch({ url: proxy.url, ownerToken });
  proxy.seen.length = 0;
});

const BUSY = { status: 503, code: 'UNAVAILABLE', retryAfter: 0 };
const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => null,
    (error: unknown) => error,
  );

test('a create whose answer was lost is repeated with its key, and makes one item', async () => {
  proxy.fates.push('lose-answer', BUSY);
  const page = await perch.pages.create('# Once');
  expect(proxy.seen).toHaveLength(3);
  expect(new Set(proxy.seen.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  expect((await perch.items()).items.map(({ id }) => id)).toEqual([page.id]);
});

test('two creates have two keys; a given key makes a repetition of the whole call harmless', async () => {
  const first = await perch.pages.create('# One', { idempotencyKey: 'key-of-the-first-attempt' });
  const again = await perch.pages.create('# One', { idempotencyKey: 'key-of-the-first-attempt' });
  expect(again.id).toBe(first.id);
  await perch.kv.create('a', 1);
  await perch.kv.create('a', 1);
  const [, , one, two] = proxy.seen.map(({ idempotencyKey }) => idempotencyKey);
  expect(one).not.toBe(two);
});

test('an increment or append whose answer was lost is repeated with its key, and counts once', async () => {
  const store = await perch.kv.create('n', 1);
  proxy.fates.push('lose-answer', BUSY);
  expect(await perch.kv.increment(store, 'n', 5)).toMatchObject({ value: 6, version: 2 });
  proxy.fates.push('lose-answer');
  await perch.kv.append(store, 'log', { step: 1 });
  await perch.kv.append(store, 'log', 'two', { idempotencyKey: 'given-by-the-caller' });
  await perch.kv.append(store, 'log', 'two', { idempotencyKey: 'given-by-the-caller' });
  expect((await perch.kv.get(store, 'n')).value).toBe(6);
  expect((await perch.kv.get(store, 'log')).value).toEqual([{ step: 1 }, 'two']);
  expect(await failureOf(perch.kv.increment(store, 'log'))).toMatchObject({ code: 'VALUE_MISMATCH' });
});

test('a removal whose answer was lost has happened', async () => {
  const page = await perch.pages.create('# Away');
  proxy.fates.push('lose-answer');
  await perch.pages.remove(page);
  expect(await failureOf(perch.pages.remove(page))).toMatchObject({ code: 'NOT_FOUND' });
});

test('a conditional change that finds another version may be its own doing where an answer was lost, else it is not', async () => {
  const store = await perch.kv.create('n', 1);
  const { etag } = await perch.kv.get(store, 'n');
  proxy.fates.push('lose-answer');
  const uncertain = await failureOf(perch.kv.set(store, 'n', 2, { ifMatch: etag }));
  expect(uncertain).toBeInstanceOf(PerchUncertainError);
  expect(uncertain).toMatchObject({ cause: { code: 'PRECONDITION_FAILED' } });
  expect((await perch.kv.get(store, 'n')).value).toBe(2);
  proxy.fates.push({ status: 429, code: 'RATE_LIMITED', retryAfter: 0 });
  const refused = await failureOf(perch.kv.set(store, 'n', 3, { ifMatch: etag }));
  expect(refused).toMatchObject({ name: 'PerchError', code: 'PRECONDITION_FAILED' });
});

test('a large upload is read from its start again', async () => {
  const bytes = new Uint8Array(1_000_000).fill(66);
  proxy.fates.push(BUSY);
  const file = await perch.files.create(new Blob([bytes]), { filename: 'b.txt' });
  expect(file.sizeBytes).toBe(bytes.length);
  expect(proxy.seen).toHaveLength(2);
});

test('a stream is sent once, and a report is never repeated', async () => {
  proxy.fates.push(BUSY);
  const stream = new Blob(['text']).stream();
  expect(await failureOf(perch.files.create(stream, { filename: 'a.txt' }))).toMatchObject({ status: 503 });
  proxy.fates.push(BUSY);
  const report = {
    reportedUrl: `${proxy.url}/public/x`,
    category: 'other' as const,
    description: 'Not what it says.',
  };
  expect(await failureOf(perch.report(report))).toMatchObject({ status: 503 });
  expect(proxy.seen).toHaveLength(2);
});

test('attempts have an end, and the last error is thrown', async () => {
  proxy.fates.push(BUSY, BUSY, BUSY);
  const twice = new Perch({ url: proxy.url, retry: { attempts: 2 } });
  const failure = await failureOf(twice.stats());
  expect(failure).toBeInstanceOf(PerchError);
  expect(failure).toMatchObject({ code: 'UNAVAILABLE', status: 503, requestId: 'r1', retryAfterMs: 0 });
  expect(proxy.seen).toHaveLength(2);
  proxy.fates.length = 0;
});

test('what would fail again is not repeated: a wrong request, a full store, a wait that is too long', async () => {
  expect(await failureOf(perch.pages.create('x', { ttl: 0 }))).toMatchObject({ code: 'TTL_INVALID' });
  proxy.fates.push({ ...BUSY, code: 'STORAGE_FULL' });
  expect(await failureOf(perch.pages.create('x'))).toMatchObject({ code: 'STORAGE_FULL' });
  proxy.fates.push({ status: 429, code: 'RATE_LIMITED', retryAfter: 3000 });
  expect(await failureOf(perch.pages.create('x'))).toMatchObject({ retryAfterMs: 3_000_000 });
  expect(proxy.seen).toHaveLength(3);
});

test('a signal ends the wait between attempts, and a request under way', async () => {
  const waiting = new AbortController();
  proxy.fates.push({ ...BUSY, retryAfter: 30 });
  const call = failureOf(perch.stats({ signal: waiting.signal }));
  while (proxy.seen.length === 0) await Bun.sleep(5);
  waiting.abort(new Error('enough'));
  expect(await call).toMatchObject({ message: 'enough' });
  const aborted = AbortSignal.abort(new Error('before'));
  expect(await failureOf(perch.stats({ signal: aborted }))).toMatchObject({ message: 'before' });
  expect(proxy.seen).toHaveLength(1);
});

test('an attempt that gets no answer ends, and a server that is away is named', async () => {
  using silent = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Promise<Response>(() => undefined),
  });
  const impatient = new Perch({ url: silent.url, timeoutMs: 50, retry: { attempts: 1 } });
  const failure = await failureOf(impatient.stats());
  expect(failure).toBeInstanceOf(PerchConnectionError);
  expect(String(failure)).toContain(silent.url.origin);
});

test('content that cannot be read is told apart from a server that is away, and named', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'perch-unread-'));
  const gone = async (name: string, size: number): Promise<Blob> => {
    const file = join(folder, name);
    await writeFile(file, 'x'.repeat(size));
    const content = await openAsBlob(file);
    await rm(file);
    return content;
  };
  const broken = () =>
    new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: (stream) => stream.error(new Error('the disk is broken')),
    });
  const send = [
    (content: UploadSource) => perch.pages.create(content),
    (content: UploadSource) => perch.sites.create([{ path: 'index.html', content }]),
  ];
  for (const create of send)
    for (const content of [await gone('small', 10), await gone('large', 200_000), broken()]) {
      const failure = await failureOf(create(content));
      expect(failure).toBeInstanceOf(PerchContentError);
      expect(failure).toHaveProperty('content', content);
    }
  await rm(folder, { recursive: true });
});

test('a short code stands for an address of the service, also where that leads to another host', async () => {
  using server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) => {
      const { origin, pathname } = new URL(url);
      return Response.redirect(pathname === '/s/Ab3dE6g' ? `${origin}/public/one` : 'http://one.example/');
    },
  });
  const anybody = new Perch({ url: server.url });
  expect(await anybody.resolveCode('Ab3dE6g')).toBe(`${server.url.origin}/public/one`);
});

test('a slow download that goes on is not given up', async () => {
  const PIECES = 15;
  using slow = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () =>
      new Response(
        new ReadableStream({
          async pull(body) {
            for (let n = 0; n < PIECES; n++) {
              await Bun.sleep(100);
              body.enqueue('x');
            }
            body.close();
          },
        }),
      ),
  });
  // Less than the whole takes, and ten times the pause between two pieces.
  const client = new Perch({ url: slow.url, timeoutMs: 1_000, retry: { attempts: 1 } });
  expect(await client.pages.read({ namespace: 'public', id: 'slow' })).toBe('x'.repeat(PIECES));
});

test('in a browser, where the progress of an upload is not told, its size says how long it may take', async () => {
  using silent = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Promise<Response>(() => undefined),
  });
  const script = `globalThis.document = {};
    const { Perch } = await import('perch-client');
    const perch = new Perch({ url: '${silent.url}', timeoutMs: 50, retry: { attempts: 1 } });
    await perch.pages.create('x').catch((error) => console.log(error.name));
    const stop = AbortSignal.timeout(1_000);
    await perch.pages.create('x'.repeat(20_000), { signal: stop }).catch((error) => console.log(error.name));`;
  const child = Bun.spawn([process.execPath, '-e', script], {
    cwd: join(import.meta.dirname, '../..'),
    stdout: 'pipe',
    stderr: 'inherit',
    timeout: 10_000,
  });
  expect(await child.stdout.text()).toBe('PerchConnectionError\nTimeoutError\n');
});
