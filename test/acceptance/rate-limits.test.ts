import { describe, expect, test } from 'bun:test';
import { apiPath, codePath, ownedBy, type Published, type RequestOptions, raw } from './support/client.ts';
import { atOnce, tally } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { sharePerch, usePerch } from './support/perch.ts';

const from = (forwarded: string, options: RequestOptions = {}): RequestOptions => ({
  ...options,
  headers: { 'X-Forwarded-For': forwarded, ...options.headers },
});
const html = (forwarded: string) => from(forwarded, raw(`<p>${Math.random()}`, 'text/html'));

const rateOf = ({ headers }: Response) => ({
  limit: Number(headers.get('RateLimit-Limit') ?? Number.NaN),
  remaining: Number(headers.get('RateLimit-Remaining') ?? Number.NaN),
  reset: Number(headers.get('RateLimit-Reset') ?? Number.NaN),
});

const LIMITS = { LIMIT_UPLOADS_PER_HOUR: '5', LIMIT_READS_PER_MINUTE: '8', LIMIT_CHANGES_PER_HOUR: '6' };
const WINDOWS = { uploads: 3600, reads: 60, changes: 3600 };

describe('behind one trusted proxy', () => {
  const perch = usePerch({ gateways: 2, env: { ...LIMITS, TRUST_PROXY: '1' } });
  const client = (n: number) => perch.clients[n % perch.clients.length] ?? perch;

  const limits: Array<
    [
      what: keyof typeof WINDOWS,
      limit: number,
      send: (n: number, ip: string, page: Published) => Promise<Response>,
    ]
  > = [
    ['uploads', 5, (n, ip) => client(n).post(html(ip))],
    ['reads', 8, (n, ip, page) => client(n).read(page, from(ip))],
    [
      'changes',
      6,
      (n, ip, page) =>
        client(n).api(page, { method: 'PUT', ...raw(`<p>${n}`, 'text/html', from(ip, ownedBy(page))) }),
    ],
  ];

  for (const [what, limit, send] of limits) {
    test(`${what} are counted down in headers, then refused`, async () => {
      const page = await perch.publish(html(`10.0.1.${limit}`));
      for (let n = 1; n <= limit; n++) {
        const response = await send(n, '10.0.0.1', page);
        expect(response.ok).toBe(true);
        const rate = rateOf(response);
        expect(rate).toMatchObject({ limit, remaining: limit - n });
        expect(rate.reset).toBeGreaterThan(0);
        expect(rate.reset).toBeLessThanOrEqual(WINDOWS[what]);
      }
      for (let n = 1; n <= 4; n++) {
        const refused = await send(n, '10.0.0.1', page);
        expect(rateOf(refused)).toMatchObject({ limit, remaining: 0 });
        const retryAfter = Number(refused.headers.get('Retry-After'));
        expect(retryAfter).toBeGreaterThan(0);
        expect(retryAfter).toBeLessThanOrEqual(WINDOWS[what]);
        await expectError(refused, 429, 'RATE_LIMITED');
      }
      expect((await send(1, '10.0.0.2', page)).ok).toBe(true);
    });

    test(`${what} at once over all gateways are admitted exactly`, async () => {
      const page = await perch.publish(html(`10.0.2.${limit}`));
      const answers = await atOnce(30, (n) => send(n, '10.0.3.1', page));
      const admitted = answers.filter(({ ok }) => ok);
      expect(admitted).toHaveLength(limit);
      expect(tally(answers.filter(({ ok }) => !ok).map(({ status }) => status))).toEqual({ 429: 30 - limit });
      expect(admitted.map((answer) => rateOf(answer).remaining).sort()).toEqual(
        Array.from({ length: limit }, (_, n) => n),
      );
    });
  }

  test('the three are counted apart', async () => {
    const ip = '10.0.4.1';
    const page = await perch.publish(html(ip));
    for (let n = 0; n < 8; n++) await perch.read(page, from(ip));
    await expectError(await perch.read(page, from(ip)), 429, 'RATE_LIMITED');
    expect((await perch.post(html(ip))).status).toBe(201);
    expect((await perch.api(page, { method: 'DELETE', ...from(ip, ownedBy(page)) })).status).toBe(204);
  });

  test('every way of reading is a read: HEAD, the API, short links, what is not there', async () => {
    const ip = '10.0.5.1';
    const page = await perch.publish(html(ip));
    const reads: Array<[path: string, options?: RequestOptions]> = [
      [`/public/${page.id}`, { method: 'HEAD' }],
      [`/public/${page.id}?raw=true`],
      [apiPath(page)],
      [`${apiPath(page)}/settings`, ownedBy(page)],
      [`${apiPath(page)}/source`, ownedBy(page)],
      [codePath(page)],
      ['/public/never-was'],
      ['/s/abcdefg'],
    ];
    for (const [n, [path, options]] of reads.entries()) {
      const response = await perch.request(path, from(ip, options));
      expect([path, rateOf(response).remaining]).toEqual([path, 8 - n - 1]);
    }
    for (const [path, options] of reads)
      expect((await perch.request(path, from(ip, options))).status).toBe(429);
  });

  test('a create that fails is an upload, a change that fails a change', async () => {
    const ip = '10.0.6.1';
    for (let n = 1; n <= 5; n++)
      expect(rateOf(await perch.post(raw('x', 'image/png', from(ip)))).remaining).toBe(5 - n);
    await expectError(await perch.post(html(ip)), 429, 'RATE_LIMITED');
    const missing = { namespace: 'public', id: 'never-was' };
    const removed = await perch.api(missing, { method: 'DELETE', ...from(ip) });
    expect(rateOf(removed)).toMatchObject({ limit: 6, remaining: 5 });
  });

  test('a list that is asked for wrongly is a read', async () => {
    const ip = '10.0.9.1';
    const paths = [
      ...['/api/gallery?page=0', '/api/gallery/pages?size=x', '/gallery?page=0', '/api/owner/items?kind=x'],
      ...['/api/html?ns=X', '/api/kv?page=0', '/sitemap.xml?part=x'],
    ];
    for (const [n, path] of paths.entries()) {
      const response = await perch.request(path, from(ip));
      expect([path, response.status, rateOf(response).remaining]).toEqual([path, 400, 8 - n - 1]);
    }
    await perch.request('/api/gallery', from(ip));
    for (const path of paths) await expectError(await perch.request(path, from(ip)), 429, 'RATE_LIMITED');
  });

  test('health, metrics, assets and preflights are not limited', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics', '/favicon.ico'])
      expect((await perch.request(path)).headers.has('RateLimit-Limit')).toBe(false);
    const preflight = await perch.request('/api/html', { method: 'OPTIONS' });
    expect(preflight.headers.has('RateLimit-Limit')).toBe(false);
  });

  test('entries further left are claims of the client and do not count', async () => {
    const page = await perch.publish(html('10.0.7.9'));
    const answers = await atOnce(12, (n) => perch.read(page, from(`1.2.3.${n}, 10.0.7.1`)));
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 8, 429: 4 });
    await expectError(await perch.read(page, from('10.0.7.1')), 429, 'RATE_LIMITED');
    expect((await perch.read(page, from('10.0.7.1, 10.0.7.2'))).status).toBe(200);
    expect((await perch.read(page, from('2001:db8::1'))).status).toBe(200);
  });

  test('what is no address counts for the socket', async () => {
    const page = await perch.publish(html('10.0.8.9'));
    const answers = await atOnce(12, (n) => perch.read(page, n === 0 ? {} : from(`nonsense-${n}`)));
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 8, 429: 4 });
  });
});

describe('without a trusted proxy', () => {
  const perch = usePerch({ env: { ...LIMITS, TRUST_PROXY: '0' } });

  test('X-Forwarded-For says nothing', async () => {
    const answers = await atOnce(12, (n) => perch.post(html(`10.0.0.${n}`)));
    expect(tally(answers.map(({ status }) => status))).toEqual({ 201: 5, 429: 7 });
  });
});

describe('behind two trusted proxies', () => {
  const perch = usePerch({ env: { ...LIMITS, TRUST_PROXY: '2' } });

  test('the second entry from the right is the client', async () => {
    const post = (forwarded: string) => perch.post(html(forwarded));
    const answers = await atOnce(8, (n) => post(`6.6.6.${n}, 10.1.0.1, 10.9.9.${n}`));
    expect(tally(answers.map(({ status }) => status))).toEqual({ 201: 5, 429: 3 });
    expect((await post('10.1.0.1, 10.1.0.2, 10.9.9.1')).status).toBe(201);
    await expectError(await post('10.1.0.1, 10.9.9.1'), 429, 'RATE_LIMITED');
  });

  test('a list too short is not trusted', async () => {
    const answers = await atOnce(8, (n) => perch.post(html(`10.2.0.${n}`)));
    expect(tally(answers.map(({ status }) => status))).toEqual({ 201: 5, 429: 3 });
  });
});

describe('a limit of 0', () => {
  const perch = sharePerch();

  test('is none, and is not in the headers', async () => {
    const page = await perch.publish('<p>x');
    const answers = await atOnce(320, (n) => (n % 2 === 0 ? perch : perch.last).read(page));
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 320 });
    expect(answers.some(({ headers }) => headers.has('RateLimit-Limit'))).toBe(false);
  });
});
