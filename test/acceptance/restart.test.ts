import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ServiceProcess } from '../../infra/service-process.ts';
import { ADMIN, ADMIN_PASSWORD } from '../shared-instance.ts';
import { type Client, codePath, jsonOf, ownedBy, type Published, raw } from './support/client.ts';
import { eventually, fresh } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { usePerch } from './support/perch.ts';
import { openConnection, type RawConnection, rawRequest } from './support/socket.ts';

const env = { SWEEP_INTERVAL_SECONDS: '1', ADMIN_PASSWORD };
const perch = usePerch({ joined: false, gateways: 2, contents: 2, env });

/** All processes, in the order of their start: gateways come last, as they need the others. */
function services(): ServiceProcess[] {
  const { gateways, contents, embedded } = perch.instance.services;
  return [...contents, ...gateways, ...(embedded === null ? [] : [embedded])];
}

const stops = {
  SIGTERM: async () => {
    for (const service of services().toReversed()) await service.stop();
  },
  SIGKILL: async () => {
    await Promise.all(services().map((service) => service.kill()));
  },
};

/** By which the operator knows an owner. */
const idOf = (token: string): string => createHash('sha256').update(token).digest('hex');

async function startAll(): Promise<void> {
  for (const service of services()) await service.start();
}

describe.each(['SIGTERM', 'SIGKILL'] as const)('a restart after %s', (signal) => {
  test('keeps pages, owners, passwords and what is gone', async () => {
    const html = await perch.publish('<p>kept', { query: { showTopBar: true } });
    const markdown = await perch.publish(raw('# kept', 'text/markdown', { query: { ns: 'kept' } }));
    const secret = await perch.publish('<p>secret', { headers: { 'X-Password': 'right' } });
    const updated = await perch.publish('<p>old');
    const put = (page: Published, content: string) =>
      perch.api(page, { method: 'PUT', ...raw(content, 'text/html', ownedBy(page)) });
    expect((await put(updated, '<p>new')).status).toBe(200);
    const gone = await perch.publish('<p>gone');
    expect((await perch.api(gone, { method: 'DELETE', ...ownedBy(gone) })).status).toBe(204);
    const before = await (await perch.read(markdown)).text();
    const settings = await jsonOf(await perch.request(`/api/html/public/${html.id}/settings`, ownedBy(html)));

    await stops[signal]();
    await startAll();

    for (const client of perch.clients) {
      expect(await (await client.read(html, { query: { raw: true } })).text()).toBe('<p>kept');
      expect((await client.read(html)).headers.get('X-Show-Top-Bar')).toBe('true');
      expect(await (await client.read(markdown)).text()).toBe(before);
      await expectError(await client.read(secret), 403, 'PASSWORD_REQUIRED');
      expect(await (await client.read(secret, { query: { p: 'right' } })).text()).toBe('<p>secret');
      expect(await (await client.read(updated)).text()).toEndWith('<p>new');
      await expectError(await client.read(gone), 410, 'GONE');
      expect((await client.request(codePath(html))).status).toBe(302);
    }
    const after = await jsonOf(await perch.request(`/api/html/public/${html.id}/settings`, ownedBy(html)));
    expect(after).toEqual(settings);
    expect((await put(updated, '<p>newer')).status).toBe(200);
    expect(await (await perch.last.read(updated)).text()).toEndWith('<p>newer');
    expect((await perch.publish('<p>more')).namespace).toBe('public');
  }, 180_000);

  test('keeps what the operator has decided: blocks, tiers, what is hidden and what was taken down', async () => {
    const asOperator = (method: string, path: string, json?: unknown): Promise<Response> =>
      perch.request(`/api/admin/${path}`, {
        method,
        headers: ADMIN,
        ...(json === undefined ? {} : { json }),
      });
    const bot = { 'User-Agent': `${fresh('Bot')}/1.0` };
    const block = { uaPattern: bot['User-Agent'], reason: 'A test.' };
    expect((await asOperator('POST', 'blocklist', block)).status).toBe(201);
    const [team, spammer] = [`own_${fresh('team-of-this-test')}`, `own_${fresh('spammer-of-this-test')}`];
    const publishAs = (token: string, ttl = 15, client: Client = perch) =>
      client.request('/api/json', {
        method: 'POST',
        query: { ttl },
        headers: { 'X-Owner-Token': token },
        json: { a: 1 },
      });
    const spam = await jsonOf<Published>(await publishAs(spammer), 201);
    const kept = await jsonOf<Published>(await publishAs(team), 201);
    const terms = { tier: 'PRIVILEGED', maxTtlDays: 400, label: 'Team', note: 'Why.' };
    expect((await asOperator('POST', `owners/${idOf(team)}/promote`, terms)).status).toBe(200);
    const long = await jsonOf<Published>(await publishAs(team, 400), 201);
    const hidden = await perch.publish('<p>hidden');
    await perch.read(hidden);
    expect((await asOperator('POST', `items/public/${hidden.id}/hide`)).status).toBe(200);
    expect((await asOperator('DELETE', `owners/${idOf(spammer)}`)).status).toBe(204);
    const listed = async (): Promise<unknown[]> => {
      const [blocks, owners, items] = await Promise.all(
        ['blocklist?includeInactive=true', 'owners', 'publications'].map(
          async (list) => await jsonOf<Array<Record<string, unknown>>>(await asOperator('GET', list)),
        ),
      );
      // Views of the last seconds may be lost.
      return [blocks, owners, items?.map((item) => ({ ...item, views: 0 }))];
    };
    const before = await listed();

    await stops[signal]();
    await startAll();

    expect(await listed()).toEqual(before);
    for (const client of perch.clients) {
      // At once: a gateway that has just begun reads the list before it lets anybody create.
      const create = { method: 'POST', headers: bot, json: { a: 1 } };
      await expectError(await client.request('/api/json', create), 403, 'CLIENT_BLOCKED');
      await expectError(await client.read(hidden), 410, 'GONE');
      await expectError(await client.read(spam), 410, 'GONE');
      expect((await client.api(hidden, ownedBy(hidden))).status).toBe(200);
      expect((await publishAs(team, 400, client)).status).toBe(201);
      expect((await client.read(kept)).status).toBe(200);
      expect((await client.read(long)).status).toBe(200);
    }
    expect((await asOperator('POST', `items/public/${hidden.id}/show`)).status).toBe(200);
    const shown = await perch.last.read(hidden, { query: { raw: true } });
    expect([shown.status, await shown.text()]).toEqual([200, '<p>hidden']);
  }, 180_000);
});

test('a restart after SIGTERM keeps view counts', async () => {
  const pages = [await perch.publish('<p>a'), await perch.publish('<p>b', { query: { ns: 'counted' } })];
  for (const page of pages) for (let n = 0; n < 5; n++) await perch.read(page);
  await stops.SIGTERM();
  await startAll();
  for (const page of pages) expect((await perch.read(page)).headers.get('X-Views')).toBe('6');
}, 180_000);

/** The process that the upload tests stop. */
function firstGateway(): ServiceProcess {
  const { gateways, embedded } = perch.instance.services;
  const service = embedded ?? gateways[0];
  if (service === undefined) throw new Error('no process answers');
  return service;
}

/** Sends the beginning of a page; resolves once the gateway is at work on it. */
async function beginUpload(url: string, id: string, begun: string, length: number): Promise<RawConnection> {
  const connection = await openConnection(url);
  await connection.send(
    [
      `POST /api/html?id=${id} HTTP/1.1`,
      'Host: perch',
      'User-Agent: PerchAcceptance/1.0',
      'Content-Type: text/html',
      `Content-Length: ${length}`,
      'Connection: close',
      '',
      begun,
    ].join('\r\n'),
  );
  await eventually(async () => {
    const metrics = await (await perch.request('/metrics')).text();
    // The upload, and the request for the metrics itself.
    return Number(/^http_requests_under_way\S* (\d+)$/m.exec(metrics)?.[1]) >= 2;
  });
  return connection;
}

test('SIGTERM lets an upload under way finish', async () => {
  const service = firstGateway();
  const half = '<p>half'.padEnd(100_000, 'x');
  const connection = await beginUpload(service.url, 'slow', half, half.length * 2);
  const stopped = service.stop();
  await eventually(
    async () =>
      await rawRequest(service.url, 'GET /healthz').then(
        () => false,
        () => true,
      ),
  );
  await connection.send(half);
  const answer = await connection.response();
  expect(answer.status).toBe(201);
  await stopped;
  await service.start();
  const page = await perch.read({ namespace: 'public', id: 'slow' });
  expect(await page.text()).toEndWith(half + half);
}, 180_000);

test('an upload that never ends does not keep SIGTERM from a clean stop', async () => {
  const service = firstGateway();
  const page = await perch.publish('<p>read');
  const connection = await beginUpload(service.url, 'stuck', '<p>', 1_000);
  await perch.read(page);
  await service.stop();
  await service.start();
  connection.destroy();
  expect((await perch.read(page)).headers.get('X-Views')).toBe('2');
  expect((await perch.read({ namespace: 'public', id: 'stuck' })).status).toBe(404);
  const log = await Promise.all(perch.instance.logFiles.map((file) => readFile(file, 'utf8')));
  expect(log.join('\n')).not.toContain('the stop took too long');
}, 180_000);
