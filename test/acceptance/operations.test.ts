import { describe, expect, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { jsonOf, ownedBy, raw, shortPath } from './support/client.ts';
import { eventually } from './support/concurrency.ts';
import { usePerch } from './support/perch.ts';

const perch = usePerch({ joined: false, gateways: 2, env: { LOG_LEVEL: 'trace' } });

/** Where every process of Perch answers. */
function processUrls(): string[] {
  const { gateways, contents, embedded } = perch.instance.services;
  return [...gateways, ...contents, ...(embedded === null ? [] : [embedded])].map(({ url }) => url);
}

const readLogs = async (): Promise<string> =>
  (await Promise.all(perch.instance.logFiles.map((file) => readFile(file, 'utf8')))).join('\n');

/** The answer at an address once it is a good one: on a busy machine a dependency may be late for a while. */
async function answerOf(url: string): Promise<Response> {
  let response = await fetch(url);
  await eventually(async () => {
    if (response.ok) return true;
    response = await fetch(url);
    return false;
  });
  return response;
}

describe('every process', () => {
  test('says that it lives and that all it depends on answers', async () => {
    for (const url of processUrls()) {
      for (const path of ['/healthz', '/readyz']) {
        const response = await answerOf(`${url}${path}`);
        expect(response.headers.get('Content-Type')).toStartWith('application/json');
        await jsonOf(response);
      }
    }
  });

  test('has metrics in the Prometheus text format', async () => {
    for (const url of processUrls()) {
      const response = await fetch(`${url}/metrics`);
      expect(response.headers.get('Content-Type')).toStartWith('text/plain');
      const text = await response.text();
      expect(text).toMatch(/^# HELP \w+ /m);
      expect(text).toMatch(/^# TYPE \w+ (counter|gauge|histogram)$/m);
    }
  });
});

test('the metrics of a process say of all that it depends on that it answers', async () => {
  for (const url of processUrls()) {
    const ready = await jsonOf<{ dependencies: Record<string, string> }>(await answerOf(`${url}/readyz`));
    let up: unknown[] = [];
    await eventually(async () => {
      const text = await (await fetch(`${url}/metrics`)).text();
      up = Array.from(text.matchAll(/^dependency_up\{dependency="(\w+)",.*\} 1$/gm), ([, name]) => name);
      return up.length === Object.keys(ready.dependencies).length;
    });
    expect(up).toEqual(Object.keys(ready.dependencies));
  }
});

test('metrics count requests, by status', async () => {
  const counted = async (status: number): Promise<number> => {
    const text = await (await perch.request('/metrics')).text();
    const lines = text.split('\n').filter((line) => line.startsWith('http_requests_total{'));
    const matching = lines.filter(
      (line) => line.includes(`status="${status}"`) && line.includes('kind="page"'),
    );
    return matching.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  };
  const page = await perch.publish('<p>x');
  const before = { found: await counted(200), missing: await counted(404) };
  for (let n = 0; n < 7; n++) await perch.read(page);
  for (let n = 0; n < 3; n++) await perch.request('/public/never-was');
  await eventually(async () => (await counted(404)) >= before.missing + 3);
  expect(await counted(200)).toBe(before.found + 7);
  expect(await counted(404)).toBe(before.missing + 3);
});

describe('logs', () => {
  test('name requests by the id in their answers, in JSON lines', async () => {
    const page = await perch.publish('<p>x');
    const answers = [
      await perch.read(page),
      await perch.last.request('/nothing'),
      await perch.post(raw('x', 'a/b')),
    ];
    const ids = answers.map(({ headers }) => headers.get('X-Request-Id') ?? 'none');
    await eventually(async () => {
      const logs = await readLogs();
      return ids.every((id) => logs.includes(id));
    });
    const lines = (await readLogs()).split('\n').filter((line) => line.startsWith('{'));
    const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    const entry = entries.find(({ requestId }) => requestId === ids[0]);
    expect(entry?.http).toMatchObject({
      method: 'GET',
      path: shortPath(page),
      status: 200,
      clientIp: '127.0.0.1',
      durationMs: expect.any(Number),
    });
  });

  test('tell HEAD from GET', async () => {
    const page = await perch.publish('<p>x');
    const id = (await perch.read(page, { method: 'HEAD' })).headers.get('X-Request-Id') ?? 'none';
    await eventually(async () => (await readLogs()).includes(id));
    const line = (await readLogs()).split('\n').find((text) => text.includes(id));
    expect(JSON.parse(line ?? '{}').http).toMatchObject({ method: 'HEAD', path: shortPath(page) });
  });

  test('never hold an owner token or a password', async () => {
    const secrets = {
      token: 'own token & secret',
      header: 'by-header-3f9a',
      query: 'by query/3f9b',
      body: 'by-body-3f9c',
      wrong: 'wrong-guess-3f9d',
      form: 'by-form-3f9e',
    };
    const owner = { 'X-Owner-Token': secrets.token };
    const first = await perch.publish('<p>x', { headers: { ...owner, 'X-Password': secrets.header } });
    const second = await perch.publish('<p>x', { query: { token: secrets.token, p: secrets.query } });
    const third = await perch.publish({ json: { content: '<p>x', password: secrets.body } });
    const fourth = await perch.publish('<p>x', { query: { token: secrets.token, password: secrets.form } });

    await perch.read(first, { headers: { 'X-Password': secrets.header } });
    await perch.read(second, { query: { a: 1, p: secrets.query, b: 2 } });
    await perch.read(third, { query: { P: secrets.body, p: secrets.body } });
    await perch.read(second, { query: { p: secrets.wrong } });
    await perch.read(second, {
      headers: { 'X-Password': secrets.wrong, Cookie: `perch_unlock=${secrets.wrong}` },
    });
    await perch.request(
      `${shortPath(second)}?%70=${encodeURIComponent(secrets.query)}&%74oken=${encodeURIComponent(secrets.token)}`,
    );
    await perch.api(second, {
      method: 'PUT',
      ...raw('<p>y', 'text/html', { query: { token: secrets.token } }),
    });
    await perch.api(second, { method: 'PUT', query: { token: secrets.token }, body: '{' });
    await perch.request(`/api${shortPath(fourth)}/unlock`, {
      method: 'POST',
      ...raw(new URLSearchParams({ password: secrets.form }).toString(), 'application/x-www-form-urlencoded'),
    });
    await perch.request('/nothing', { query: { p: secrets.wrong, token: secrets.token } });
    const passedOn = `https://elsewhere.example/?RefreshToken=${encodeURIComponent(secrets.token)}`;
    await perch.request('/nothing', {
      query: { 'Client-Secret': secrets.query, to: passedOn },
      headers: { Referer: `https://elsewhere.example/?to=${encodeURIComponent(passedOn)}` },
    });
    await perch.request('/s/abcdefg', { query: { p: secrets.wrong } });
    const last = await perch.api(first, { method: 'DELETE', ...ownedBy(first) });
    expect(last.status).toBe(204);

    const lastId = last.headers.get('X-Request-Id') ?? 'none';
    await eventually(async () => (await readLogs()).includes(lastId));
    const logs = await readLogs();
    const spellings = (secret: string) => [
      ...[secret, encodeURIComponent(secret), encodeURIComponent(secret).replaceAll('%20', '+')],
    ];
    for (const spelling of [...Object.values(secrets), third.ownerToken].flatMap(spellings))
      expect(logs.split('\n').filter((line) => line.includes(spelling))).toEqual([]);
    expect(logs).not.toContain('argon2');
    expect(logs).toContain('p=***');
    expect(logs).toContain('a=1');
  });
});
