import { expect, test } from 'bun:test';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureCommands } from '../../infra/servers/debian.ts';
import { startNginx } from '../../infra/servers/nginx.ts';
import { freePort } from '../../infra/servers/port.ts';
import { loadConfig } from '../../shared/config.ts';
import { openEvents } from '../acceptance/support/event-reader.ts';
import { useStarted } from '../started.ts';
import { PROJECT } from './compose-file.ts';
import { deployment, GATEWAYS } from './deployment.ts';
import { exchange } from './exchange.ts';

/** The most that a site's form may hold beside its files (docs/operations.md, Behind a proxy). */
const FORM_BYTES = 16 * 1_048_576;

const HEADERS = { 'User-Agent': 'test/1' };

const perch = useStarted(() => deployment());
const nginx = useStarted(startProxy, ({ stop }) => stop());

/** nginx with `infra/proxy/nginx.conf`, in front of the gateways. */
async function startProxy(): Promise<{ url: string; stop(): Promise<void> }> {
  await ensureCommands(['nginx']);
  const dir = await mkdtemp(join(tmpdir(), 'perch-nginx-'));
  const port = await freePort();
  const shipped = await readFile(join(PROJECT, 'infra/proxy/nginx.conf'), 'utf8');
  const changes = [
    ['listen 80;', `listen 127.0.0.1:${port};`],
    ...GATEWAYS.map((host, index) => [`gateway-${index + 1}.internal:8080`, `${host}:${perch.gatewayPort}`]),
  ];
  const adapted = changes.reduce((text, [from = '', to = '']) => {
    expect(text.split(from)).toHaveLength(2);
    return text.replace(from, to);
  }, shipped);
  const server = await startNginx({ dir, port, http: `access_log off;\n${adapted}` });
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      await server.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** The first line of the answer to a request line as it is given. */
async function firstLineOf(requestLine: string): Promise<string> {
  const headers = 'Host: perch.example.org\r\nUser-Agent: test/1\r\nConnection: close';
  const answer = await exchange(nginx.url, `${requestLine} HTTP/1.1\r\n${headers}\r\n\r\n`);
  return answer.split('\r\n')[0] ?? '';
}

test('requests with methods that gateways do not know take the gateways away from nobody', async () => {
  for (let n = 0; n < 6; n++) {
    await firstLineOf('FOO /');
    expect(await firstLineOf('GET /healthz')).toBe('HTTP/1.1 200 OK');
  }
});

test('the largest site that Perch takes passes', async () => {
  const conf = await readFile(join(PROJECT, 'infra/proxy/nginx.conf'), 'utf8');
  const megabytes = Number(/client_max_body_size (\d+)m;/.exec(conf)?.[1]);
  expect(megabytes * 1_048_576).toBe(loadConfig({}).siteMaxBytes + FORM_BYTES);
});

test('a page that is too large is refused by its gateway, whose answer arrives', async () => {
  const page = {
    method: 'POST',
    headers: { ...HEADERS, 'Content-Type': 'text/html' },
    body: 'x'.repeat(6_291_456),
  };
  for (let n = 0; n < 10; n++) {
    const answer = await fetch(`${nginx.url}/api/html`, page);
    expect([answer.status, await answer.json()]).toMatchObject([422, { code: 'TOO_LARGE' }]);
  }
});

test.each([
  '/metrics',
  '/metrics/',
  '/metrics?x=1',
  '/%6Detrics',
  '//metrics',
  '/x/../metrics',
  '/metrics/known-host?domain=x',
])('what gateways tell those who run them is not told outside: %s', async (path) => {
  expect(await firstLineOf(`GET ${path}`)).toBe('HTTP/1.1 404 Not Found');
});

test.each(['/x\\..\\metrics', '/.\\metrics', '/x\\..\\readyz', '/public/a?b=\\'])(
  'a backslash passes no rule: %s',
  async (path) => {
    expect(await firstLineOf(`GET ${path}`)).toBe('HTTP/1.1 400 Bad Request');
  },
);

test('an item is published, and its value followed as it changes', async () => {
  const json = { ...HEADERS, 'Content-Type': 'application/json' };
  const created = await fetch(`${nginx.url}/api/kv`, {
    method: 'POST',
    headers: json,
    body: '{"key":"step","value":0}',
  });
  const { namespace, id, ownerToken = '' } = (await created.json()) as Record<string, string>;
  const api = `${nginx.url}/api/kv/${namespace}/${id}/step`;
  const reader = await openEvents(api, HEADERS);
  expect(await reader.next()).toMatchObject({ data: '0' });
  const write = { method: 'POST', headers: { ...json, 'X-Owner-Token': ownerToken }, body: '{"by":1}' };
  expect((await fetch(`${api}/increment`, write)).status).toBe(200);
  expect(await reader.next()).toMatchObject({ data: '1' });
  reader.close();
});
