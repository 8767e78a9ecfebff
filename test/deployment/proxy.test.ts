import { expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { $ } from 'bun';
import { allReads, auditTargets } from '../../infra/load/audit.ts';
import { type Client, createTolerantClient, insisting } from '../../infra/load/client.ts';
import { isRefusal } from '../../infra/load/send.ts';
import { startTraffic, WRITERS } from '../../infra/load/traffic.ts';
import { commandPath } from '../../infra/servers/debian.ts';
import { freePort } from '../../infra/servers/port.ts';
import { until } from '../../infra/until.ts';
import { openEvents } from '../acceptance/support/event-reader.ts';
import { useStarted } from '../started.ts';
import { CADDYFILE, caddy, deployment } from './deployment.ts';
import { exchange } from './exchange.ts';
import { startNameServer } from './name-server.ts';

const perch = useStarted(() => deployment());

const HEADERS = { 'User-Agent': 'test/1' };
/** Steps of the load before and after each change. */
const PHASE = 60;
const JSON_BODY = { 'Content-Type': 'application/json' };

/** The part of Caddy's own configuration that says who gets certificates. */
interface AdaptedConfig {
  apps: { tls?: { automation?: { policies?: Array<{ subjects?: string[] }> } } };
}

/** Sends from another address of the loopback network. */
function statusFrom(localAddress: string, path: string, headers: Record<string, string>): Promise<number> {
  const { hostname, port } = new URL(perch.url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, localAddress, headers, agent: false }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode ?? 0));
    });
    sent.on('error', reject);
    sent.end();
  });
}

async function inTemporaryFolder<T>(work: (dir: string) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), 'perch-proxy-'));
  try {
    return await work(dir);
  } finally {
    await rm(dir, { recursive: true });
  }
}

test.each([
  ['http:// ', 'as_usual', [':80']],
  ['perch.example.org ', 'as_usual', [':443']],
  ['perch.example.org pages.example.net', 'as_usual', [':443']],
  ['perch.example.org *.pages.example.net', 'on_demand', [':443']],
  ['https://', 'on_demand', [':443']],
])('Caddy takes the Caddyfile with the addresses %p', async (SITE_ADDRESSES, SITE_TLS, listen) => {
  await inTemporaryFolder(async (dir) => {
    const env = { SITE_ADDRESSES, SITE_TLS, XDG_DATA_HOME: dir, XDG_CONFIG_HOME: dir };
    const run = (verb: string) =>
      $`${commandPath('caddy')} ${verb} --config ${CADDYFILE} --adapter caddyfile`.env(env).quiet();
    expect((await run('validate')).exitCode).toBe(0);
    const adapted = (await run('adapt')).json() as AdaptedConfig;
    const config = JSON.stringify(adapted);
    expect(config).toContain(`"listen":${JSON.stringify(listen)}`);
    for (const name of SITE_ADDRESSES.split(' ').filter((address) => address.includes('.'))) {
      expect(config).toContain(name);
    }
    expect(config.includes('"on_demand":true')).toBe(SITE_TLS === 'on_demand');
    // A policy without names is for every one.
    const policies = adapted.apps.tls?.automation?.policies ?? [];
    expect(policies.some(({ subjects }) => subjects === undefined)).toBe(SITE_ADDRESSES === 'https://');
  });
});

test('the access log has the client’s address, not one that it claims', async () => {
  const path = `/public/from-${randomBytes(6).toString('hex')}`;
  const headers = { ...HEADERS, 'X-Forwarded-For': '203.0.113.9' };
  expect(await statusFrom('127.0.0.9', path, headers)).toBe(404);
  const query = `${perch.url}/api/admin/access?path=${path}`;
  const admin = { ...HEADERS, 'X-Admin-Password': perch.adminPassword };
  type Entries = Array<{ clientIp: string }>;
  const entries = async () => (await (await fetch(query, { headers: admin })).json()) as Entries;
  await until('the log has the request', async () => (await entries()).length > 0);
  expect((await entries()).map(({ clientIp }) => clientIp)).toEqual(['127.0.0.9']);
});

test('a client without a User-Agent is not given one', async () => {
  expect(await statusFrom('127.0.0.1', '/public/nobody', {})).toBe(400);
});

const METRICS = ['/metrics', '/metrics/', '/metrics?x=1', '/%6Detrics', '//metrics', '/METRICS'];
const READINESS = ['/readyz', '/readyz/', '/readyz?x=1', '/ready%7A', '//readyz', '/READYZ'];

test.each([...METRICS, ...READINESS])(
  'what gateways tell those who run them is not told outside: %s',
  async (path) => {
    expect(await metricsOf(0)).toContain('http_requests_total');
    const answer = await fetch(`${perch.url}${path}`, { headers: HEADERS });
    const body = await answer.text();
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/json']);
    const { requestId, ...error } = JSON.parse(body) as Record<string, unknown>;
    expect(error).toMatchObject({ status: 404, code: 'NOT_FOUND', error: 'Not Found' });
    expect(requestId).toBe(answer.headers.get('x-request-id'));
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  },
);

test('whether the proxy leads to a gateway that lives is told outside, for balancers', async () => {
  expect((await fetch(`${perch.url}/healthz`, { headers: HEADERS })).status).toBe(200);
});

test('bytes behind the body of a create do not cost its answer', async () => {
  const { hostname, port } = new URL(perch.url);
  const lines = [
    ...['POST /api/json HTTP/1.1', `Host: ${hostname}:${port}`, 'User-Agent: test/1', 'Connection: close'],
    ...['Content-Type: application/json', 'Content-Length: 7'],
  ];
  // A gateway alone would close the connection without an answer, and the owner token would be lost.
  const answer = await exchange(perch.url, `${lines.join('\r\n')}\r\n\r\n{"a":1}\r\n`);
  expect(answer).toStartWith('HTTP/1.1 201');
  expect(answer).toContain('"ownerToken":');
});

test('requests that follow one another before they are answered are all answered', async () => {
  const head = `Host: ${new URL(perch.url).host}\r\nUser-Agent: test/1\r\n`;
  const create = `POST /api/json HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 7\r\n\r\n{"a":1}`;
  const read = `GET /healthz HTTP/1.1\r\n${head}`;
  // A gateway alone would close the connection without an answer to any of them.
  const answers = await exchange(perch.url, `${create}${read}\r\n${read}Connection: close\r\n\r\n`);
  expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 201', 'HTTP/1.1 200', 'HTTP/1.1 200']);
  expect(answers).toContain('"ownerToken":');
});

test('3 MB come in and go out unchanged, whole and in part', async () => {
  const bytes = Buffer.from(randomBytes(1_572_864).toString('hex'));
  const form = new FormData();
  form.append('file', new Blob([bytes]), 'numbers.txt');
  const created = await fetch(`${perch.url}/api/files`, { method: 'POST', headers: HEADERS, body: form });
  expect(created.status).toBe(201);
  const { namespace, id } = (await created.json()) as { namespace: string; id: string };
  const read = (range?: string) =>
    fetch(`${perch.url}/${namespace}/${id}`, { headers: { ...HEADERS, ...(range ? { Range: range } : {}) } });
  const [whole, part] = await Promise.all([read(), read('bytes=1000000-2999999')]);
  expect(whole.status).toBe(200);
  expect(bytes.equals(Buffer.from(await whole.arrayBuffer()))).toBe(true);
  expect(part.status).toBe(206);
  expect(part.headers.get('content-range')).toBe(`bytes 1000000-2999999/${bytes.length}`);
  expect(bytes.subarray(1_000_000, 3_000_000).equals(Buffer.from(await part.arrayBuffer()))).toBe(true);
});

test('a page that is too large is refused by its gateway, whose answer arrives', async () => {
  const headers = { ...HEADERS, 'Content-Type': 'text/html' };
  for (let n = 0; n < 20; n++) {
    const answer = await fetch(`${perch.url}/api/html`, {
      method: 'POST',
      headers,
      body: 'x'.repeat(6_291_456),
    });
    expect([answer.status, await answer.json()]).toMatchObject([422, { code: 'TOO_LARGE' }]);
  }
});

test('an upload reaches the gateway while it is still being sent', async () => {
  const { hostname, port } = new URL(perch.url);
  const before = await underWay();
  const sent = request({
    hostname,
    port,
    path: '/api/html',
    method: 'POST',
    agent: false,
    headers: { ...HEADERS, 'Content-Type': 'text/html', 'Transfer-Encoding': 'chunked' },
  });
  const answer = new Promise<number>((resolve, reject) => {
    sent.on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject);
  });
  sent.write('<h1>first half</h1>');
  await until('a gateway has the beginning', async () => (await underWay()) > before);
  sent.end('<p>second half</p>');
  expect(await answer).toBe(201);
});

test('a value is followed through the proxy: each event comes when it happens, and waits are answered', async () => {
  const create = { method: 'POST', headers: { ...HEADERS, ...JSON_BODY }, body: '{"key":"step","value":0}' };
  const created = await fetch(`${perch.url}/api/kv`, create);
  expect(created.status).toBe(201);
  const { namespace, id, ownerToken } = (await created.json()) as Record<string, string>;
  const api = `${perch.url}/api/kv/${namespace}/${id}`;
  const owner = { ...HEADERS, ...JSON_BODY, 'X-Owner-Token': ownerToken ?? '' };
  const readers = await Promise.all(
    [`${api}/step`, `${perch.url}/${namespace}/${id}/step`, `${api}/step`].map((url) =>
      openEvents(url, HEADERS),
    ),
  );
  for (const reader of readers) {
    expect([reader.status, reader.headers['content-type']]).toEqual([200, 'text/event-stream']);
    expect(await reader.next()).toMatchObject({ id: expect.stringMatching(/^1\.\d+$/), data: '0' });
  }
  for (const [n, reader] of readers.entries()) {
    const etag = (await fetch(`${api}/step`, { headers: HEADERS })).headers.get('etag') ?? '';
    const waiting = fetch(`${api}/step?wait=30`, { headers: { ...HEADERS, 'If-None-Match': etag } });
    await Bun.sleep(100);
    const write = { method: 'POST', headers: owner, body: '{"by":1}' };
    expect((await fetch(`${api}/step/increment`, write)).status).toBe(200);
    // Each reader has had the one before: nothing on the way gathers events.
    for (const one of readers) expect(await one.next()).toMatchObject({ data: String(n + 1) });
    const answer = await waiting;
    expect([answer.status, await answer.json()]).toMatchObject([200, { value: n + 1 }]);
    expect(reader.waiting).toBe(0);
  }
  const hide = { method: 'POST', headers: { ...HEADERS, 'X-Admin-Password': perch.adminPassword } };
  const hidden = await fetch(`${perch.url}/api/admin/items/${namespace}/${id}/hide`, hide);
  expect(hidden.status).toBe(200);
  for (const reader of readers) expect(await reader.next()).toBeNull();
  // A reader that goes away is gone behind the proxy, too.
  const again = await openEvents(`${api}/step`, owner);
  expect(await again.next()).toMatchObject({ data: '3' });
  const watchers = async (): Promise<number> => {
    const found = await Promise.all(perch.gateways.map((_, index) => metricsOf(index)));
    const counts = found.map((text) => /^live_watchers\{[^}]*kind="stream"[^}]*\} (\d+)/m.exec(text)?.[1]);
    return counts.reduce((sum, count) => sum + Number(count), 0);
  };
  expect(await watchers()).toBe(1);
  again.close();
  await until('nobody watches', async () => (await watchers()) === 0);
}, 60_000);

test('gateways that leave and come back cost no read, and no more than a second try of a write', async () => {
  const { client, note, faults } = await createTolerantClient([perch.url], { mayBreakOff: false });
  const refused = { reads: [] as string[], writes: 0 };
  const noting: Client = {
    ...client,
    async send(call, gateway) {
      const seen = await client.send(call, gateway);
      if (isRefusal(seen) && call.method === 'GET') refused.reads.push(call.path);
      else if (isRefusal(seen)) refused.writes += 1;
      return seen;
    },
  };
  const traffic = await startTraffic({
    client: noting,
    note,
    name: 'proxy',
    seed: 1,
    steps: Number.POSITIVE_INFINITY,
    isCalm: () => true,
  });
  const more = (): Promise<void> => traffic.afterSteps(traffic.begun() + PHASE);
  try {
    for (const gateway of perch.gateways) {
      await more();
      await gateway.stop();
      await more();
      await gateway.start();
    }
    await more();
  } finally {
    await traffic.stop();
  }
  expect(refused.reads).toEqual([]);
  // Each writer had one under way, whose connection may have come in the moment in which the gateway stopped listening.
  expect(refused.writes).toBeLessThanOrEqual(WRITERS.length * perch.gateways.length);
  expect(traffic.writes.unanswered).toBe(0);
  await auditTargets(traffic.written, {
    client: insisting(client),
    note,
    patienceMs: 0,
    reads: allReads(client),
  });
  expect(faults).toEqual([]);
  // Both are at work again, and writes go to both.
  const writes = await Promise.all(perch.gateways.map((_, index) => requestsOf(index, 'method="POST"')));
  expect(Math.min(...writes)).toBeGreaterThan(0);
  expect(
    Math.min(...(await Promise.all(perch.gateways.map((_, index) => requestsOf(index))))),
  ).toBeGreaterThan(PHASE / 4);
}, 120_000);

test('without any gateway the answer says so in the shape of all errors, and the log tells no secret', async () => {
  await inTemporaryFolder(async (dir) => {
    const names = await startNameServer(['127.0.0.2', '127.0.0.3']);
    const RESOLVERS = `resolvers udp/${names.address}`;
    const proxy = await caddy(dir, { GATEWAY_PORT: String(await freePort()), RESOLVERS });
    await proxy.start();
    try {
      // Only then it says anything of requests that went as they should.
      const level = `${proxy.adminUrl}/config/logging/logs/default/level`;
      expect((await fetch(level, { method: 'PUT', headers: JSON_BODY, body: '"DEBUG"' })).ok).toBe(true);
      const headers = {
        ...HEADERS,
        'X-Owner-Token': 'own_topsecret',
        'X-Password': 'topsecret',
        Referer: 'topsecret',
      };
      const paths = ['/public/a?p=topsecret', '/public/a/~topsecret/x', '/api/html?token=topsecret'];
      const answers = await Promise.all(
        paths.map((path, index) =>
          fetch(
            `${proxy.url}${path}`,
            index === 2 ? { method: 'POST', body: 'topsecret', headers } : { headers },
          ),
        ),
      );
      for (const answer of answers) {
        expect(answer.status).toBe(503);
        expect(answer.headers.get('retry-after')).toBe('2');
        expect(answer.headers.get('content-type')).toBe('application/json');
        expect(answer.headers.get('access-control-allow-origin')).toBe('*');
        expect(answer.headers.get('access-control-expose-headers')).toBe('Retry-After, X-Request-Id');
        const body = (await answer.json()) as Record<string, unknown>;
        expect(body).toMatchObject({ status: 503, code: 'UNAVAILABLE', error: 'Service Unavailable' });
        expect(body.requestId).toBe(answer.headers.get('x-request-id'));
      }
      await until('the proxy has logged them', async () => (await log()).includes('/api/html'));
      expect(await log()).not.toContain('topsecret');
    } finally {
      await proxy.stop();
      await names.stop();
    }
    async function log(): Promise<string> {
      return await readFile(join(dir, 'proxy.log'), 'utf8');
    }
  });
});

test('what the proxy logged so far tells no token either', async () => {
  expect(await perch.proxyLog()).not.toContain('own_');
});

async function metricsOf(index: number): Promise<string> {
  return await (await fetch(`http://127.0.0.${index + 2}:${perch.gatewayPort}/metrics`)).text();
}

const sumOf = (metrics: string, name: string): number =>
  Array.from(metrics.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)$`, 'gm')), ([, value]) =>
    Number(value),
  ).reduce((sum, value) => sum + value, 0);

async function requestsOf(index: number, label = ''): Promise<number> {
  const lines = (await metricsOf(index)).split('\n').filter((line) => line.includes(label));
  return sumOf(lines.join('\n'), 'http_requests_total');
}

async function underWay(): Promise<number> {
  const all = await Promise.all([0, 1].map(metricsOf));
  return all.reduce((sum, metrics) => sum + sumOf(metrics, 'http_requests_under_way'), 0);
}
