import { describe, expect, test } from 'bun:test';
import { withDatabase } from '../faults/blob-audit.ts';
import { ADMIN, ADMIN_PASSWORD } from '../shared-instance.ts';
import { listOf } from './support/admin-list.ts';
import { type Client, jsonOf, ownedBy, type Published } from './support/client.ts';
import { atOnce, fresh, tally } from './support/concurrency.ts';
import { act, openPage, signIn } from './support/console.ts';
import { expectError } from './support/errors.ts';
import { itemPath, KINDS, publishKind } from './support/kinds.ts';
import { usePerch } from './support/perch.ts';
import { putIntoQuarantine } from './support/quarantine.ts';

const perch = usePerch({
  gateways: 2,
  analytics: 2,
  env: { ADMIN_PASSWORD, TRUST_PROXY: '1', REPORTS_TO_HIDE: '3', LIMIT_UPLOADS_PER_HOUR: '0' },
});

const PATH = '/api/admin/reported-items';

interface Reported {
  namespace: string;
  id: string;
  type: string;
  state: string;
  reports: number;
  newReports: number;
  reporters: number;
  categories: Record<string, number>;
  firstReceivedAt: string;
  lastReceivedAt: string;
}

/** From TEST-NET-1, so that no test of a network meets it. */
const OWNER = '192.0.2.200';

const publish = (): Promise<Published> =>
  perch.publish('<p>reported', { query: { id: fresh('reported') }, headers: { 'X-Forwarded-For': OWNER } });

async function report(
  { id }: { id: string },
  from: string,
  more: { category?: string; headers?: Record<string, string>; client?: Client } = {},
): Promise<string> {
  const { category = 'spam', headers = {}, client = perch } = more;
  const json = {
    reportedUrl: `${perch.url}/public/${id}`,
    category,
    description: 'It advertises things.',
  };
  const options = { method: 'POST', json, headers: { 'X-Forwarded-For': from, ...headers } };
  const { reportId } = await jsonOf<{ reportId: string }>(await client.request('/api/reports', options), 201);
  return reportId;
}

const list = async (query: Record<string, string | number> = {}) =>
  await listOf<Reported>(await perch.last.request(PATH, { headers: ADMIN, query }));

const groupOf = async ({ id }: { id: string }): Promise<Reported | undefined> =>
  (await list({ limit: 100 })).items.find((one) => one.id === id);

const statusOf = async ({ id }: { id: string }, client: Client = perch): Promise<number> =>
  (await client.request(`/public/${id}`)).status;

const review = ({ id }: { id: string }, json: unknown) =>
  perch.request(`${PATH}/public/${id}`, { method: 'PATCH', headers: ADMIN, json });

const auditOf = async ({ id }: { id: string }) => {
  const response = await perch.request('/api/admin/audit', { headers: ADMIN, query: { limit: 200 } });
  const { items } = await listOf<{
    action: string;
    target: string;
    via: string;
    clientIp: string;
    note: string;
  }>(response);
  return items.filter(({ target }) => target.startsWith(`public/${id}`));
};

describe('reports by item', () => {
  test('are counted, with their categories and independent senders', async () => {
    const item = await publish();
    await report(item, '198.51.100.1', { category: 'phishing' });
    await report(item, '198.51.100.99');
    await report(item, '2001:db8:1:2::1', { category: 'phishing' });
    await report(item, OWNER);
    const group = await groupOf(item);
    expect(group).toMatchObject({
      namespace: 'public',
      id: item.id,
      type: 'html',
      state: 'live',
      reports: 4,
      newReports: 4,
      reporters: 2,
      categories: { phishing: 2, spam: 2 },
    });
    expect(Date.parse(group?.lastReceivedAt ?? '')).toBeGreaterThanOrEqual(
      Date.parse(group?.firstReceivedAt ?? ''),
    );
    const query = { item: `public/${item.id}`, status: 'new' };
    const each = await listOf(await perch.request('/api/admin/reports', { headers: ADMIN, query }));
    expect([each.items.length, each.total]).toEqual([4, 4]);
    expect((await list({ limit: 1 })).items.length).toBe(1);
  });

  test('are reviewed together, once each, also by ten operators at once', async () => {
    const item = await publish();
    for (const n of [1, 2, 3, 4]) await report(item, `198.51.100.${n}`);
    const answers = await atOnce(10, async () =>
      jsonOf<{ reviewed: number; left: number }>(
        await review(item, { status: 'dismissed', reviewerNote: 'No.' }),
      ),
    );
    expect(answers.reduce((sum, { reviewed }) => sum + reviewed, 0)).toBe(4);
    expect(tally(answers.map(({ left }) => left))).toEqual({ 0: 10 });
    expect(await groupOf(item)).toMatchObject({ reports: 4, newReports: 0, state: 'live' });
    const query = { item: `public/${item.id}` };
    const each = await listOf<{ status: string; reviewerNote: string; reviewedAt: string | null }>(
      await perch.request('/api/admin/reports', { headers: ADMIN, query }),
    );
    expect(tally(each.items.map(({ status, reviewerNote }) => `${status} ${reviewerNote}`))).toEqual({
      'dismissed No.': 4,
    });
    expect((await list({ status: 'dismissed', limit: 100 })).items.map(({ id }) => id)).toContain(item.id);
    expect((await list({ status: 'new', limit: 100 })).items.map(({ id }) => id)).not.toContain(item.id);
    expect((await auditOf(item)).map(({ action }) => action)).toContain('review-reported-item');
  });

  test('that arrive after the reviewer has looked stay new, by API and in the console', async () => {
    const signedIn = await signIn(perch, ADMIN_PASSWORD);
    const [one, other] = [await publish(), await publish()];
    for (const item of [one, other]) await report(item, '198.51.100.1');
    const until = (await groupOf(one))?.lastReceivedAt;
    const page = await (await openPage(perch, '/admin/reports?by=item&limit=100', signedIn)).text();
    const [row = ''] = page.split('<tr>').filter((text) => text.includes(`Dismiss public/${other.id}"`));
    const seen = /name="until" value="([^"]+)"/.exec(row)?.[1] ?? '';
    for (const item of [one, other]) await report(item, '198.51.101.1');

    expect(await jsonOf(await review(one, { status: 'dismissed', until }))).toEqual({ reviewed: 1, left: 0 });
    const fields = { action: 'dismiss', item: `public/${other.id}`, reports: 'all', until: seen };
    expect((await act(perch, signedIn, '/admin/actions', fields)).status).toBe(303);
    for (const item of [one, other]) expect(await groupOf(item)).toMatchObject({ reports: 2, newReports: 1 });
    for (const wrong of ['yesterday', '', '2026-02-30', 7])
      await expectError(await review(one, { status: 'dismissed', until: wrong }), 400, 'VALIDATION_FAILED');
  });

  test('more than one review settles are settled in parts, of which the console tells', async () => {
    const signedIn = await signIn(perch, ADMIN_PASSWORD);
    const item = await publish();
    await withDatabase(perch.instance, async (sql) => {
      await sql`
        insert into reports (id, reported_url, category, description, namespace, item_id, received_at, resource_type)
        select ${`${item.id}-`} || n::text, ${item.url}, 'spam', 'It advertises things.', 'public', ${item.id}, now(), 'html'
        from generate_series(1, 1001) as n`;
    });
    const fields = { action: 'dismiss', item: `public/${item.id}`, reports: 'all', back: '/admin/reports' };
    const said = async (): Promise<string> => {
      const done = await act(perch, signedIn, '/admin/actions', fields);
      return await (await openPage(perch, done.headers.get('Location') ?? '', signedIn)).text();
    };
    expect(await said()).toContain('Reports of the item are noted, but some are left');
    expect(await groupOf(item)).toMatchObject({ newReports: 1 });
    expect(await said()).toContain('The reports of the item are noted.');
  });

  test('tell of an item in quarantine, which the operator releases and cannot show', async () => {
    const signedIn = await signIn(perch, ADMIN_PASSWORD);
    const item = await publish();
    await report(item, '198.51.100.1');
    await putIntoQuarantine(perch, item, 'link');
    expect(await groupOf(item)).toMatchObject({ state: 'quarantined' });
    const path = '/admin/reports?by=item&limit=100';
    const page = await (await openPage(perch, path, signedIn)).text();
    const [row = ''] = page
      .split('<tr>')
      .filter((one) => one.includes(`<th scope="row"><a`) && one.includes(item.id));
    expect(row).toContain('>quarantined<');
    expect(row).toContain('href="/admin/scans"');
    expect(row).not.toContain('value="show"');
    const fields = { action: 'show', item: `public/${item.id}`, back: '/admin/reports' };
    const shown = await act(perch, signedIn, '/admin/actions', fields);
    const answer = await openPage(perch, shown.headers.get('Location') ?? '', signedIn);
    const text = await answer.text();
    expect(text).toContain('The item is in quarantine and stays there');
    expect(text).not.toContain('shown again');
  });

  test('refuse what they cannot understand, and everybody but the operator', async () => {
    const item = { id: 'never-was' };
    for (const json of [{}, { status: 'new' }, { status: 'gone' }, { status: 'dismissed', reviewerNote: 7 }])
      await expectError(await review(item, json), 400, 'VALIDATION_FAILED');
    expect(await jsonOf(await review(item, { status: 'actioned' }))).toEqual({ reviewed: 0, left: 0 });
    for (const query of [{ status: 'x' }, { limit: 0 }, { limit: 101 }, { offset: -1 }])
      await expectError(await perch.request(PATH, { headers: ADMIN, query }), 400, 'VALIDATION_FAILED');
    for (const one of ['x', 'public/', 'public/a/b', 'public/ a', '/a'])
      await expectError(
        await perch.request('/api/admin/reports', { headers: ADMIN, query: { item: one } }),
        ...([400, 'VALIDATION_FAILED'] as const),
      );
    await expectError(await perch.request(PATH), 401, 'ADMIN_UNAUTHORIZED');
    const options = { method: 'PATCH', json: { status: 'dismissed' } };
    await expectError(await perch.request(`${PATH}/public/x`, options), 401, 'ADMIN_UNAUTHORIZED');
  });
});

describe('with three reports to hide', () => {
  test.each(KINDS)('an item of kind $name is hidden by the third, and says who did it', async (kind) => {
    const query = { id: fresh('hide') };
    const item = await publishKind(perch, kind, 'x', { query, headers: { 'X-Forwarded-For': OWNER } });
    await report(item, '198.51.100.1');
    await report(item, '203.0.113.1');
    expect((await groupOf(item))?.state).toBe('live');
    await report(item, '2001:db8:7::1');
    for (const client of perch.clients) expect(await statusOf(item, client)).toBe(410);
    expect((await perch.request(itemPath(kind, item), ownedBy(item))).status).toBe(200);
    expect(await groupOf(item)).toMatchObject({ state: 'hidden', reporters: 3 });
    expect(await auditOf(item)).toMatchObject([
      { action: 'hide-item', via: 'service', clientIp: '', note: '3 independent reports' },
    ]);
  });

  test('reports of one network, of the owner and of the network of the owner count once, or not at all', async () => {
    const item = await publish();
    const own = ownedBy(item).headers;
    for (const from of ['198.51.100.1', '198.51.100.2', '::ffff:198.51.100.3']) await report(item, from);
    for (const from of ['2001:db8:9:1::1', '2001:db8:9:2::1', '2001:DB8:9:ffff::1']) await report(item, from);
    await report(item, '192.0.2.7');
    await report(item, '203.0.113.5', { headers: own });
    expect(await statusOf(item)).toBe(200);
    expect((await groupOf(item))?.reporters).toBe(2);
    await report(item, '2001:db8:a::1');
    expect(await statusOf(item)).toBe(410);
  });

  test('twenty at once from twenty networks hide it once, and all arrive', async () => {
    const item = await publish();
    await atOnce(20, (n) => report(item, `10.${n}.0.1`, { client: n % 2 === 0 ? perch : perch.last }));
    expect(await statusOf(item)).toBe(410);
    expect(await groupOf(item)).toMatchObject({ reports: 20, reporters: 20, state: 'hidden' });
    expect((await auditOf(item)).filter(({ via }) => via === 'service')).toHaveLength(1);
  });

  test('what the operator shows again needs three more, and what was dismissed counts no more', async () => {
    const item = await publish();
    for (const n of [1, 2, 3]) await report(item, `10.0.${n}.1`);
    expect(await statusOf(item)).toBe(410);
    const shown = await perch.request(`/api/admin/items/public/${item.id}/show`, {
      method: 'POST',
      headers: ADMIN,
    });
    expect(shown.status).toBe(200);
    await report(item, '10.0.4.1');
    await report(item, '10.0.5.1');
    expect(await statusOf(item)).toBe(200);
    await review(item, { status: 'dismissed' });
    await report(item, '10.0.6.1');
    await report(item, '10.0.7.1');
    expect(await statusOf(item)).toBe(200);
    await report(item, '10.0.8.1');
    expect(await statusOf(item)).toBe(410);
  });

  test('an item that is new at the address of a removed one begins without its reports', async () => {
    const item = await publish();
    for (const n of [1, 2]) await report(item, `10.1.${n}.1`);
    const removal = { method: 'DELETE', ...ownedBy(item) };
    expect((await perch.request(`/api/public/${item.id}`, removal)).status).toBe(204);
    await report(item, '10.1.3.1');
    expect(await groupOf(item)).toMatchObject({ state: 'gone', type: 'unknown', reports: 3 });
    await perch.publish('<p>next', { query: { id: item.id }, headers: { 'X-Forwarded-For': OWNER } });
    await report(item, '10.1.4.1');
    expect(await statusOf(item)).toBe(200);
  });
});
