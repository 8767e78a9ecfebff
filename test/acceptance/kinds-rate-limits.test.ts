import { describe, expect, test } from 'bun:test';
import { codePath, ownedBy, type RequestOptions, raw } from './support/client.ts';
import { atOnce, tally } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { createOf, itemPath, KINDS, type KindUnderTest, publishKind, readsOf } from './support/kinds.ts';
import { usePerch } from './support/perch.ts';

const LIMIT = 12;

const perch = usePerch({
  gateways: 2,
  kvs: 2,
  sites: 2,
  env: {
    TRUST_PROXY: '1',
    LIMIT_UPLOADS_PER_HOUR: String(LIMIT),
    LIMIT_READS_PER_MINUTE: String(LIMIT),
    LIMIT_CHANGES_PER_HOUR: String(LIMIT),
    LIMIT_PREVIEWS_PER_MINUTE: String(LIMIT),
  },
});

let addresses = 0;
/** A client address that no other test has. */
const newAddress = (): Record<string, string> => ({ 'X-Forwarded-For': `10.7.0.${++addresses}` });
const clientOf = (n: number) => perch.clients[n % perch.clients.length] ?? perch;
const kindOf = (n: number): KindUnderTest => {
  const kind = KINDS[n % KINDS.length];
  if (kind === undefined) throw new Error('there are kinds');
  return kind;
};

async function expectRefused(response: Response): Promise<void> {
  expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0);
  expect(response.headers.get('RateLimit-Remaining')).toBe('0');
  expect(response.headers.get('RateLimit-Limit')).toBe(String(LIMIT));
  await expectError(response, 429, 'RATE_LIMITED');
}

test('creates of all kinds share a window, exactly, also when they come at once', async () => {
  const headers = newAddress();
  const answers = await atOnce(30, (n) => createOf(clientOf(n), kindOf(n), 'x', { headers }));
  expect(tally(answers.map(({ status }) => status))).toEqual({ 201: LIMIT, 429: 30 - LIMIT });
  for (const kind of KINDS) await expectRefused(await createOf(perch.last, kind, 'x', { headers }));
  for (const kind of KINDS)
    expect((await createOf(perch, kind, 'x', { headers: newAddress() })).status).toBe(201);
});

describe.each(KINDS)('an item of kind $name', (kind) => {
  test('is read as often as the window allows, over all its addresses', async () => {
    const item = await publishKind(perch, kind, 'x', { headers: newAddress() });
    const headers = newAddress();
    const paths = readsOf(kind, item);
    const answers = await atOnce(30, (n) => {
      const options: RequestOptions = { headers, method: n % 3 === 0 ? 'HEAD' : 'GET' };
      return clientOf(n).request(paths[n % paths.length] ?? '', options);
    });
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: LIMIT, 429: 30 - LIMIT });
    for (const path of [...paths, codePath(item), kind.path])
      await expectRefused(await perch.last.request(path, { headers }));
    expect((await perch.request(paths.at(-1) ?? '', { headers: newAddress() })).status).toBe(200);
  });

  test('is changed and deleted as often as a window of its own allows', async () => {
    const item = await publishKind(perch, kind, 'x', { headers: newAddress() });
    const headers = { ...newAddress(), ...ownedBy(item).headers };
    const removal = (id: string) => ({
      path: itemPath(kind, { namespace: 'public', id }),
      options: { method: 'DELETE', headers },
    });
    for (let n = 0; n < LIMIT; n++) {
      const { path, options } = removal(`never-was-${n}`);
      await expectError(await clientOf(n).request(path, options), 404, 'NOT_FOUND');
    }
    const { path, options } = removal(item.id);
    await expectRefused(await perch.request(path, options));
    if (kind.change !== null) {
      const { at, options: change } = kind.change;
      const put = { method: 'PUT', ...change, headers: { ...change.headers, ...headers } };
      await expectRefused(await perch.last.request(`${path}${at}`, put));
    }
    expect((await perch.request(path, { headers })).status).toBe(200);
    const elsewhere = { method: 'DELETE', headers: { ...headers, ...newAddress() } };
    expect((await perch.request(path, elsewhere)).status).toBe(204);
  });
});

test('checks of who owns an item count as reads, also of items that are not there', async () => {
  const item = await perch.publish('<p>limited', { headers: newAddress() });
  const headers = newAddress();
  const check = (id: string) => perch.request(`/api/public/${id}/owner-check`, { headers });
  expect((await check(item.id)).headers.get('RateLimit-Remaining')).toBe(String(LIMIT - 1));
  for (let n = 1; n < LIMIT; n++) expect((await check('none')).status).toBe(404);
  await expectRefused(await check(item.id));
});

test('names of namespaces count as reads', async () => {
  const answer = await perch.request('/api/namespace/random', { headers: newAddress() });
  expect(answer.headers.get('RateLimit-Remaining')).toBe(String(LIMIT - 1));
});

test('reports count as creates, and the form that is refused keeps its fields', async () => {
  const headers = newAddress();
  const json = {
    reportedUrl: `${perch.url}/public/bad`,
    category: 'spam',
    description: 'It advertises things.',
  };
  const post = () => perch.request('/api/reports', { method: 'POST', json, headers });
  expect((await post()).headers.get('RateLimit-Remaining')).toBe(String(LIMIT - 1));
  const answers = await atOnce(LIMIT - 1, post);
  expect(tally(answers.map(({ status }) => status))).toEqual({ 201: LIMIT - 1 });
  const message = 'Too many creates, reports and new owner tokens from your address.';
  const mint = await perch.request('/api/owner', { method: 'POST', headers });
  for (const refused of [await post(), mint])
    expect((await expectError(refused, 429, 'RATE_LIMITED')).message).toStartWith(message);
  const form = await perch.request('/report', {
    method: 'POST',
    body: 'description=kept',
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      Accept: 'text/html',
      'Accept-Language': 'de',
      ...headers,
    },
  });
  expect(form.status).toBe(429);
  expect(Number(form.headers.get('Retry-After'))).toBeGreaterThan(0);
  const page = await form.text();
  expect(page).toContain('kept</textarea>');
  expect(page).toContain('Zu viele Anfragen von deiner Adresse.');
});

test('new owner tokens count as creates, and removals as changes', async () => {
  const headers = newAddress();
  const mint = () => perch.request('/api/owner', { method: 'POST', headers });
  expect((await mint()).headers.get('RateLimit-Remaining')).toBe(String(LIMIT - 1));
  const page = await perch.publish('<p>x', { headers });
  for (let n = 2; n < LIMIT; n++) expect((await mint()).status).toBe(201);
  await expectRefused(await mint());
  const removal = { method: 'DELETE', headers: { ...headers, ...ownedBy(page).headers } };
  expect((await perch.api(page, removal)).status).toBe(204);
});

test('previews count by themselves, exactly also for several at once', async () => {
  const headers = newAddress();
  const text = raw('# A', 'text/markdown');
  const ask = () =>
    perch.request('/api/preview', { method: 'POST', ...text, headers: { ...text.headers, ...headers } });
  const answers = await atOnce(LIMIT + 3, ask);
  expect(tally(answers.map(({ status }) => status))).toEqual({ 200: LIMIT, 429: 3 });
  await expectRefused(await ask());
  const created = await createOf(perch, kindOf(0), 'x', { headers });
  expect(created.headers.get('RateLimit-Remaining')).toBe(String(LIMIT - 1));
});
