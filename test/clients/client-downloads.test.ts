import { expect, test } from 'bun:test';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Perch, PerchConnectionError } from 'perch-client';
import { newUser } from './command.ts';

const FILE = { namespace: 'public', id: 'x' };

/** A server that sends the beginning of each download, and then breaks off or says nothing more. */
function startHalfway(then: 'break off' | 'say nothing') {
  const server = createServer((request, response) => {
    if (request.url?.endsWith('/owner-check')) {
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"type":"file"}');
      return;
    }
    const send = () => response.write('half', () => then === 'break off' && response.socket?.destroy());
    response.writeHead(200, { 'Content-Length': 1_000, 'Content-Type': 'text/plain' });
    send();
  });
  return new Promise<{ url: string } & Disposable>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      const stop = (): void => {
        server.close();
        server.closeAllConnections();
      };
      resolve({ url: `http://127.0.0.1:${port}`, [Symbol.dispose]: stop });
    });
  });
}

const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => null,
    (error: unknown) => error,
  );

test('a download that breaks off, or does not go on, fails as a request without an answer does', async () => {
  for (const then of ['break off', 'say nothing'] as const) {
    using server = await startHalfway(then);
    const perch = new Perch({ url: server.url, timeoutMs: 300 });
    for (const read of [
      async () => (await perch.files.read(FILE)).blob(),
      async () => (await perch.sites.readFile(FILE, 'a.txt')).text(),
      async () => (await perch.sites.archive(FILE)).arrayBuffer(),
    ])
      expect(await failureOf(read())).toBeInstanceOf(PerchConnectionError);
  }
});

test('a signal ends a download under way with its reason, and a slow reader is not given up', async () => {
  using server = await startHalfway('say nothing');
  const perch = new Perch({ url: server.url, timeoutMs: 300 });
  const stop = new AbortController();
  const response = await perch.files.read(FILE, { signal: stop.signal });
  expect([response.url, response.status]).toEqual([`${server.url}/api/files/public/x`, 200]);
  const reader = response.body?.getReader();
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('half');
  // Longer than the server may say nothing.
  await Bun.sleep(600);
  const next = failureOf(Promise.resolve(reader?.read()));
  stop.abort(new Error('enough'));
  expect(await next).toMatchObject({ message: 'enough' });
});

test('the command ends with 7 where a download breaks off, and leaves the file that was there', async () => {
  using server = await startHalfway('break off');
  await using user = await newUser(server.url);
  await user.write('kept.txt', 'earlier');
  for (const runtime of [process.execPath, 'node'])
    for (const args of [[], ['-o', 'kept.txt']]) {
      const ran = await user.run(['get', 'public/x', ...args], { runtime });
      expect(ran).toMatchObject({ code: 7, err: expect.stringContaining(`No answer from ${server.url}`) });
    }
  expect(await Bun.file(join(user.folder, 'kept.txt')).text()).toBe('earlier');
});
