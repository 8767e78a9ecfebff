import { expect, test } from 'bun:test';
import { shortPath } from './support/client.ts';
import { expectError } from './support/errors.ts';
import { hostNamed } from './support/item-hosts.ts';
import { usePerch } from './support/perch.ts';
import { openConnection } from './support/socket.ts';

const BASE_URL = 'http://perch.test';
const CONTENT_BASE_URL = 'http://content.test';
const perch = usePerch({ env: { BASE_URL, CONTENT_BASE_URL } });

test.each(['content.test', 'content.test:80', 'Content.Test', 'content.test.'])(
  '%s is the content host: items are read there, and nothing of the service',
  async (name) => {
    const host = hostNamed(perch, name);
    const read = await host.get(`${shortPath(await perch.publish('<p>here'))}?raw=true`);
    expect([read.status, await read.text()]).toEqual([200, '<p>here']);
    const home = await host.get('/');
    expect([home.status, home.headers.get('Location')]).toEqual([302, `${BASE_URL}/`]);
    await expectError(await host.get('/api/gallery'), 404, 'NOT_FOUND');
  },
);

test.each(['perch.test', 'content.test:443', 'content.test:8080', 'x.content.test', 'content.test..'])(
  '%s is another host, which leads to it',
  async (name) => {
    const path = shortPath(await perch.publish('<p>here'));
    const read = await hostNamed(perch, name).get(path);
    expect([read.status, read.headers.get('Location')]).toEqual([302, CONTENT_BASE_URL + path]);
  },
);

test('OPTIONS there tells no methods of what is not there', async () => {
  const allowed = async (name: string, path: string) =>
    (await hostNamed(perch, name).get(path, { method: 'OPTIONS' })).headers.get('Allow');
  for (const path of ['/api/html', '/api/json/public/x', '/mcp']) {
    expect([path, await allowed('content.test', path)]).toEqual([path, 'OPTIONS']);
    expect([path, await allowed('perch.test', path)]).not.toEqual([path, 'OPTIONS']);
  }
  expect(await allowed('content.test', '/public/x')).toBe('GET, HEAD, OPTIONS');
  expect(await allowed('content.test', '/api/public/x/unlock')).toContain('POST');
});

test.each([
  ['content.test', 'perch.test', 200],
  ['perch.test', 'content.test', 302],
])('of an absolute URL on %s with the Host %s the header counts', async (target, host, expected) => {
  const connection = await openConnection(perch.url);
  const lines = [`GET http://${target}/robots.txt HTTP/1.1`, `Host: ${host}`, 'User-Agent: x/1'];
  await connection.send(`${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`);
  expect((await connection.response()).status).toBe(expected);
});
