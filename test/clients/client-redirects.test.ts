import { beforeEach, expect, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { Perch, PerchError } from 'perch-client';
import { useStarted } from '../started.ts';
import { newUser } from './command.ts';
import { clientInstance } from './instance.ts';

useStarted(clientInstance);

const ITEM = { namespace: 'public', id: 'x' };
const SECRETS = { ownerToken: 'token-of-the-owner', password: 'sesame' };

/** Requests that came: method, path, and the secrets that came along. */
let seen: string[] = [];
beforeEach(() => {
  seen = [];
});

const noting = (answer: (request: Request) => Response) =>
  Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const secrets = ['X-Owner-Token', 'X-Password'].flatMap((name) => request.headers.get(name) ?? []);
      seen.push([request.method, new URL(request.url).pathname, ...secrets].join(' '));
      await request.arrayBuffer();
      return answer(request);
    },
  });

const leadingTo = (server: string, status: number) =>
  noting(({ url }) => {
    const { pathname, search } = new URL(url);
    return new Response('moved', { status, headers: { Location: `${server}${pathname}${search}` } });
  });

const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    (answer) => answer,
    (error: unknown) => error,
  );

test('a redirect of a change is refused with the address that it leads to, and is not sent again', async () => {
  const { url } = await clientInstance();
  const { ownerToken } = await new Perch({ url }).createOwnerToken();
  const large = new Blob([new Uint8Array(200_000).fill(65)]);
  for (const status of [301, 302, 303, 307, 308]) {
    using moved = leadingTo(url, status);
    const perch = new Perch({ url: moved.url, ownerToken });
    for (const change of [
      () => perch.pages.create('# Lost'),
      () => perch.files.create(large, { filename: 'a.txt' }),
      () => perch.kv.set(ITEM, 'key', 1),
      () => perch.json.remove(ITEM),
    ]) {
      const failure = await failureOf(change());
      expect(failure).toBeInstanceOf(PerchError);
      expect(failure).toMatchObject({ status, message: `This server leads to ${url}: use that address.` });
    }
  }
  expect(seen.filter((request) => !request.startsWith('HEAD'))).toHaveLength(20);
  expect((await new Perch({ url, ownerToken }).items()).total).toBe(0);
});

test('the command does not publish at, or remove from, a server that leads elsewhere', async () => {
  await using user = await newUser();
  await user.write('a.pdf', `%PDF-1.4\n${'x'.repeat(100_000)}`);
  const url = await user.ok(['publish', 'a.pdf']);
  const record = await Bun.file(`${user.folder}/.perch.json`).text();
  using moved = leadingTo(user.url, 302);
  const server = moved.url.origin;
  await user.write('.perch.json', record.replaceAll(`"${user.url}": {`, `"${server}": {`));
  const env = { PERCH_URL: server, PERCH_TOKEN: await user.ok(['token']) };
  for (const args of [
    ['publish', 'a.pdf'],
    ['publish', 'a.pdf', '--new'],
    ['rm', 'a.pdf'],
  ])
    for (const runtime of [process.execPath, 'node'])
      expect(await user.run(args, { env, runtime })).toMatchObject({
        code: 5,
        out: '',
        err: expect.stringContaining(`leads to ${user.url}: use`),
      });
  expect((await fetch(url)).status).toBe(200);
});

test('an answer that names no item is a failure, of which no record is kept', async () => {
  await using user = await newUser();
  using other = noting(() => Response.json([]));
  await user.write('a.md', '# Hello');
  const env = { PERCH_TOKEN: SECRETS.ownerToken };
  const ran = await user.run(['publish', 'a.md', '--url', other.url.origin], { env });
  expect(ran).toMatchObject({ code: 7, out: '', err: expect.stringContaining('no Perch') });
  expect(await readdir(user.folder)).not.toContain('.perch.json');
});

test('a read follows redirects, and takes its secrets along on its own server only', async () => {
  using host = noting(() => new Response('the value'));
  using server = noting(({ url }) => {
    const { pathname, origin } = new URL(url);
    const to = pathname.endsWith('/first') ? `${origin}/second` : `${host.url.origin}/on-its-host`;
    return Response.redirect(to, pathname.endsWith('/first') ? 307 : 302);
  });
  const perch = new Perch({ url: server.url });
  expect(await perch.kv.getText(ITEM, 'first', SECRETS)).toBe('the value');
  expect(seen).toEqual([
    'GET /public/x/first token-of-the-owner sesame',
    'GET /second token-of-the-owner sesame',
    'GET /on-its-host',
  ]);
  seen = [];
  expect(await failureOf(perch.items(SECRETS))).toMatchObject({
    name: 'PerchError',
    message: expect.stringContaining(`leads to ${host.url.origin}/on-its-host`),
  });
  expect(await (await perch.files.read(ITEM)).text()).toBe('the value');
  expect(seen.filter((request) => request.includes('on-its-host'))).toEqual(['GET /on-its-host']);
});

test('redirects that do not end are given up', async () => {
  using server = noting(({ url }) => Response.redirect(url));
  const perch = new Perch({ url: server.url, retry: { attempts: 1 } });
  expect(String(await failureOf(perch.stats()))).toContain('on and on');
});

test('a value that the host of uploads gives to nobody without the password comes from the API', async () => {
  using host = noting(() => Response.json({ code: 'PASSWORD_REQUIRED', message: 'no' }, { status: 403 }));
  using server = noting(({ url }) =>
    url.includes('/api/')
      ? Response.json({ key: 'key', value: { a: 1 }, version: 1 })
      : Response.redirect(`${host.url.origin}/public/x/key`),
  );
  const perch = new Perch({ url: server.url });
  expect(await perch.kv.getText(ITEM, 'key', { password: 'sesame' })).toBe('{"a":1}');
  expect(seen).toEqual(['GET /public/x/key sesame', 'GET /public/x/key', 'GET /api/kv/public/x/key sesame']);
});
