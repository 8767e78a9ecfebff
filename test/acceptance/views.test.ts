import { describe, expect, test } from 'bun:test';
import { type Address, type Client, ownedBy, type RequestOptions, raw } from './support/client.ts';
import { atOnce } from './support/concurrency.ts';
import { usePerch } from './support/perch.ts';

const perch = usePerch({ gateways: 2, env: { LIMIT_READS_PER_MINUTE: '400', TRUST_PROXY: '1' } });

let address = 0;
/** A read from a client address nobody else has, so that only those tests meet a limit that want to. */
const readOnce = (client: Client, page: Address, options: RequestOptions = {}) =>
  client.read(page, {
    ...options,
    headers: { 'X-Forwarded-For': `10.9.${address >> 8}.${address++ & 255}`, ...options.headers },
  });

const viewsOf = async (page: Address, options: RequestOptions = {}): Promise<number> =>
  Number((await readOnce(perch.last, page, { ...options, method: 'HEAD' })).headers.get('X-Views'));

describe('X-Views', () => {
  for (const namespace of ['public', 'counted']) {
    test(`counts every read, in order (${namespace})`, async () => {
      const page = await perch.publish('<p>x', { query: { ns: namespace } });
      expect(await viewsOf(page)).toBe(0);
      for (let n = 1; n <= 6; n++) {
        const { headers } = await readOnce(n % 2 === 0 ? perch : perch.last, page);
        expect(headers.get('X-Views')).toBe(String(n));
      }
    });
  }

  test('counts 100 reads at once over all gateways exactly, 200 and 304 alike', async () => {
    const page = await perch.publish('<p>x');
    const etag = (await readOnce(perch, page, { method: 'HEAD' })).headers.get('ETag') ?? '';
    const answers = await atOnce(100, (n) => {
      const client = perch.clients[n % perch.clients.length] ?? perch;
      return readOnce(client, page, n % 4 === 0 ? { headers: { 'If-None-Match': etag } } : {});
    });
    expect(answers.filter(({ status }) => status === 304)).toHaveLength(25);
    const counts = answers.map(({ headers }) => Number(headers.get('X-Views')));
    expect(Math.max(...counts)).toBe(100);
    expect(Math.min(...counts)).toBeGreaterThan(0);
    expect(await viewsOf(page)).toBe(100);
  });

  test('counts raw reads and downloads', async () => {
    const page = await perch.publish('<p>x');
    for (const query of [{ raw: true }, { dl: true }]) await readOnce(perch, page, { query });
    expect(await viewsOf(page)).toBe(2);
  });

  test('does not count HEAD, the settings, or requests that fail', async () => {
    const page = await perch.publish('<p>x', { headers: { 'X-Password': 'right' } });
    const open = { headers: { 'X-Password': 'right' } };
    await readOnce(perch, page, open);
    await readOnce(perch, page, { ...open, method: 'HEAD' });
    await perch.api(page, ownedBy(page));
    await readOnce(perch, page);
    await readOnce(perch, page, { headers: { 'X-Password': 'wrong' } });
    await readOnce(perch, page, { ...open, method: 'POST' });
    await perch.request(`/${page.namespace}/${page.id}/nothing`, open);
    expect(await viewsOf(page, open)).toBe(1);
  });

  test('does not count what the rate limit refuses', async () => {
    const page = await perch.publish('<p>x');
    const headers = { 'X-Forwarded-For': '10.8.0.1' };
    const answers = await atOnce(430, (n) => (n % 2 === 0 ? perch : perch.last).read(page, { headers }));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(30);
    for (const { headers: refusal } of refused) expect(refusal.has('X-Views')).toBe(false);
    expect(await viewsOf(page)).toBe(400);
  });

  test('is kept over an update and starts anew with a new page', async () => {
    const page = await perch.publish('<p>x', { query: { id: 'reused' } });
    for (let n = 1; n <= 3; n++) await readOnce(perch, page);
    await perch.api(page, { method: 'PUT', ...raw('<p>y', 'text/html', ownedBy(page)) });
    expect(await viewsOf(page)).toBe(3);
    await perch.api(page, { method: 'DELETE', ...ownedBy(page) });
    await readOnce(perch, page);
    const successor = await perch.publish('<p>z', { query: { id: 'reused' } });
    expect(await viewsOf(successor)).toBe(0);
  });
});
