import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { ADMIN_PASSWORD } from '../shared-instance.ts';
import { listOf } from './support/admin-list.ts';
import { jsonOf, type Published, shortPath } from './support/client.ts';
import { eventually, fresh } from './support/concurrency.ts';
import { act, markOn, openPage, type SignedIn, sendForm, signIn } from './support/console.ts';
import { expectError } from './support/errors.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

const ADMIN = { headers: { 'X-Admin-Password': ADMIN_PASSWORD } };
const idOf = ({ ownerToken }: Published) => createHash('sha256').update(ownerToken).digest('hex');
const keyOf = ({ namespace, id }: Published) => `${namespace}/${id}`;

interface Entry {
  action: string;
  target: string;
  via: string;
  note: string | null;
  outcome: string;
  clientIp: string;
  requestId: string;
}

const trail = async (query: Record<string, string> = {}) =>
  await listOf<Entry & { id: number; createdAt: string }>(
    await perch.last.request('/api/admin/audit', { ...ADMIN, query }),
  );

/** The entries of one target, oldest first. */
const entriesOf = async (target: string): Promise<Entry[]> =>
  (await trail({ limit: '200' })).items.filter((entry) => entry.target.includes(target)).toReversed();

async function reportOf(item: Published): Promise<string> {
  const json = {
    reportedUrl: item.url,
    category: 'phishing',
    description: 'It asks for <b>my</b> password.',
  };
  const named = { resourceNamespace: item.namespace, resourceId: item.id };
  const response = await perch.request('/api/reports', { method: 'POST', json: { ...json, ...named } });
  return (await jsonOf<{ reportId: string }>(response, 201)).reportId;
}

const textOf = async (path: string, signedIn: SignedIn): Promise<string> =>
  await (await openPage(perch, path, signedIn)).text();

const statusOfReport = async (reportId: string) =>
  await jsonOf<{ status: string; reviewerNote: string | null }>(
    await perch.request(`/api/admin/reports/${reportId}`, ADMIN),
  );

describe('a report', () => {
  test('stands beside the item it is about, whose content is in a sandbox', async () => {
    const signedIn = await signIn(perch, ADMIN_PASSWORD);
    const item = await perch.publish('<h1>Bad</h1>', { headers: { 'X-Forwarded-For': '203.0.113.9' } });
    const reportId = await reportOf(item);
    expect(await textOf('/admin/reports', signedIn)).toContain(`/admin/reports/${reportId}`);
    const response = await openPage(perch, `/admin/reports/${reportId}`, signedIn);
    const text = await response.text();
    expect(text).toContain('It asks for &lt;b&gt;my&lt;/b&gt; password.');
    expect(text).toContain('203.0.113.9');
    expect(text).toMatch(
      new RegExp(`<iframe [^>]*src="[^"]*${shortPath(item)}" sandbox="" referrerpolicy="no-referrer"`),
    );
    expect(response.headers.get('Content-Security-Policy')).toContain(
      `frame-src ${new URL(perch.url).host}${shortPath(item)} `,
    );
    expect(await textOf(`/admin/reports/${reportId}?scripts=1`, signedIn)).toContain(
      'sandbox="allow-scripts"',
    );
    expect((await openPage(perch, '/admin/reports/no-such-report', signedIn)).status).toBe(404);
  });

  test('is settled with a takedown, everything of the owner and a block in one step, after one question', async () => {
    const signedIn = await signIn(perch, ADMIN_PASSWORD);
    const sender = { 'X-Forwarded-For': '203.0.113.10' };
    const item = await perch.publish('<h1>Worse</h1>', { headers: sender });
    const token = { 'X-Owner-Token': item.ownerToken };
    const other = await perch.publish('<h1>Another of theirs</h1>', { headers: { ...sender, ...token } });
    const kept = await perch.publish('<h1>Of somebody else</h1>', { headers: sender });
    const reportId = await reportOf(item);
    const fields = {
      action: 'take-down',
      report: reportId,
      item: keyOf(item),
      owner: idOf(item),
      client: '203.0.113.10',
      note: 'Phishing, for sure.',
      back: `/admin/reports/${reportId}`,
    };
    const asked = await act(perch, signedIn, '/admin/actions', fields, ['owner', 'block']);
    expect(asked.status).toBe(200);
    const question = await asked.text();
    for (const words of [
      `Take down ${keyOf(item)}`,
      'everything of owner',
      'with their label, note and terms. It cannot be brought back. 2 items are meant.',
      'Block 203.0.113.10',
      'name="confirmed"',
    ])
      expect(question).toContain(words);
    expect((await perch.read(item)).status).toBe(200);
    expect(await entriesOf(keyOf(item))).toEqual([]);

    const done = await act(perch, signedIn, '/admin/actions', { ...fields, confirmed: '1' }, [
      'owner',
      'block',
    ]);
    expect(done.status).toBe(303);
    const location = done.headers.get('Location') ?? '';
    expect(location).toStartWith(`/admin/reports/${reportId}?done=`);
    expect(await textOf(location, signedIn)).toContain('The item is taken down.');
    for (const gone of [item, other]) expect((await perch.last.read(gone)).status).toBe(410);
    expect((await perch.last.read(kept)).status).toBe(200);
    for (const client of perch.clients)
      await eventually(
        async () =>
          (
            await client.request('/api/html', {
              method: 'POST',
              body: '<p>x',
              headers: { ...sender, 'Content-Type': 'text/html' },
            })
          ).status === 403,
      );
    expect(await statusOfReport(reportId)).toMatchObject({
      status: 'actioned',
      reviewerNote: 'Phishing, for sure.',
    });

    const common = { via: 'console', note: 'Phishing, for sure.', outcome: 'done' };
    const [entry] = await entriesOf(keyOf(item));
    expect(entry).toMatchObject({ ...common, action: 'take-down-item' });
    const together = (await trail({ limit: '20' })).items.filter(
      ({ requestId }) => requestId === entry?.requestId,
    );
    expect(together.map(({ action }) => action).toReversed()).toEqual([
      ...['take-down-item', 'take-down-owner', 'block-clients', 'review-report'],
    ]);
    for (const one of together) expect(one).toMatchObject(common);
  });

  test('is hidden, shown again, noted and dismissed', async () => {
    const signedIn = await signIn(perch, ADMIN_PASSWORD);
    const item = await perch.publish('<h1>Maybe</h1>');
    const reportId = await reportOf(item);
    const of = { report: reportId, item: keyOf(item), back: `/admin/reports/${reportId}` };
    const send = (action: string, note: string) =>
      act(perch, signedIn, '/admin/actions', { ...of, action, note });
    expect((await send('note', 'Asked the owner.')).status).toBe(303);
    expect(await statusOfReport(reportId)).toMatchObject({ status: 'new', reviewerNote: 'Asked the owner.' });
    expect((await send('hide', 'For now.')).status).toBe(303);
    expect((await perch.last.read(item)).status).toBe(410);
    expect(await textOf(of.back, signedIn)).toContain('It is hidden: visitors see nothing.');
    expect((await send('show', '')).status).toBe(303);
    expect((await perch.last.read(item)).status).toBe(200);
    expect((await send('dismiss', '')).status).toBe(303);
    expect(await statusOfReport(reportId)).toMatchObject({ status: 'dismissed', reviewerNote: null });
    expect((await entriesOf(keyOf(item))).map(({ action }) => action)).toEqual(['hide-item', 'show-item']);
    expect((await entriesOf(reportId)).map(({ note }) => note)).toEqual([
      'Asked the owner.',
      'For now.',
      null,
    ]);
  });
});

describe('an item that its publisher removed first', () => {
  const removed = async (): Promise<[item: Published, reportId: string]> => {
    const item = await perch.publish(`<p>${fresh('removed')}`);
    const reportId = await reportOf(item);
    await perch.api(item, { method: 'DELETE', headers: { 'X-Owner-Token': item.ownerToken } });
    return [item, reportId];
  };
  const fieldsOf = (item: Published, report: string) => ({
    action: 'take-down',
    item: keyOf(item),
    report,
    owner: idOf(item),
    confirmed: '1',
    back: `/admin/reports/${report}`,
  });

  test('is not told as taken down', async () => {
    const signedIn = await signIn(perch, ADMIN_PASSWORD);
    const [item, reportId] = await removed();
    const answer = await act(perch, signedIn, '/admin/actions', fieldsOf(item, reportId));
    const text = await textOf(answer.headers.get('Location') ?? '', signedIn);
    expect(text).toContain('The item was gone already.');
    expect(text).not.toContain('The item is taken down.');
    expect(await statusOfReport(reportId)).toMatchObject({ status: 'actioned' });
  });

  test('has no content to block, which is told, and its report stays new', async () => {
    const signedIn = await signIn(perch, ADMIN_PASSWORD);
    const [item, reportId] = await removed();
    const other = await perch.publish('<p>theirs, too', { headers: { 'X-Owner-Token': item.ownerToken } });
    const answer = await act(perch, signedIn, '/admin/actions', fieldsOf(item, reportId), [
      'content',
      'owner',
    ]);
    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain('this did not block its content');
    expect((await perch.last.read(other)).status).toBe(410);
    expect(await statusOfReport(reportId)).toMatchObject({ status: 'new' });
  });

  test('leaves none of its new reports for a second review', async () => {
    const signedIn = await signIn(perch, ADMIN_PASSWORD);
    const [item] = await removed();
    const fields = { action: 'dismiss', reports: 'all', item: keyOf(item), back: '/admin/reports' };
    const told = async (): Promise<string> => {
      const answer = await act(perch, signedIn, '/admin/actions', fields);
      return await textOf(answer.headers.get('Location') ?? '', signedIn);
    };
    expect(await told()).toContain('The reports of the item are noted.');
    expect(await told()).toContain('There was no new report of the item.');
  });
});

test('the terms of an owner begin with those that they have', async () => {
  const signedIn = await signIn(perch, ADMIN_PASSWORD);
  const owner = idOf(await perch.publish('<p>kept long'));
  const days = async (): Promise<string | undefined> =>
    /name="days"[^>]* value="(\d+)"/.exec(await textOf(`/admin/owners?search=${owner}`, signedIn))?.[1];
  expect(await days()).toBe('365');
  const terms = { action: 'terms', owner, tier: 'PRIVILEGED', days: '90' };
  expect((await act(perch, signedIn, '/admin/actions', { ...terms, back: '/admin/owners' })).status).toBe(
    303,
  );
  expect(await days()).toBe('90');
});

test('a takedown of many items is confirmed with their number', async () => {
  const signedIn = await signIn(perch, ADMIN_PASSWORD);
  const item = await perch.publish('<h1>One</h1>');
  for (const text of ['<h1>Two</h1>', '<h1>Three</h1>'])
    await perch.publish(text, { headers: { 'X-Owner-Token': item.ownerToken } });
  const fields = { reason: 'Spam.', back: '/admin/takedowns', ownerId: idOf(item) };
  const asked = await act(perch, signedIn, '/admin/actions', { action: 'take-down-many', ...fields });
  expect(await asked.text()).toContain('They cannot be brought back. 3 items are meant.');
  expect((await perch.read(item)).status).toBe(200);
});

test('a block that fits the operator, by address or User-Agent, is confirmed with a warning', async () => {
  const signedIn = await signIn(perch, ADMIN_PASSWORD);
  const question = async (block: Record<string, string>): Promise<string> => {
    const fields = { action: 'block', reason: 'Spam.', back: '/admin/blocklist', ...block };
    const all = { mark: await markOn(perch, signedIn), ...fields };
    const sender = { 'X-Forwarded-For': '203.0.113.99', 'User-Agent': 'OperatorBrowser/1.0' };
    return await (
      await sendForm(perch, '/admin/actions', all, { Cookie: signedIn.cookie, ...sender })
    ).text();
  };
  const warning = 'This block fits you, too (203.0.113.99)';
  for (const block of [{ ip: '203.0.113.0/24' }, { ua: 'operatorbrowser/*' }, { ip: '203.0.113.99' }])
    expect(await question(block)).toContain(warning);
  for (const block of [{ ip: '198.51.100.0/24' }, { ip: '203.0.113.0/24', ua: 'BadBot' }]) {
    const text = await question(block);
    expect(text).toContain('name="confirmed"');
    expect(text).not.toContain('fits you');
  }
});

describe('a form that cannot be done', () => {
  test('says why, and changes nothing', async () => {
    const signedIn = await signIn(perch, ADMIN_PASSWORD);
    const wrong: Array<[fields: Record<string, string>, status: number]> = [
      [{ action: 'nothing' }, 400],
      [{ action: 'hide', item: 'public/nothing-here' }, 404],
      [{ action: 'hide', item: 'no item' }, 404],
      [{ action: 'end-block', id: 'none' }, 404],
      [{ action: 'block', ip: 'no address', reason: 'x' }, 400],
      [{ action: 'block', ip: '192.0.2.1' }, 400],
      [{ action: 'terms', owner: 'f'.repeat(64), tier: 'DEFAULT' }, 404],
      [{ action: 'terms', owner: 'f'.repeat(64), tier: 'PRIVILEGED', days: '0' }, 400],
      [{ action: 'note', report: 'no-such-report', note: 'x' }, 404],
      [{ action: 'note', report: 'x', note: 'x'.repeat(5_001) }, 400],
      [{ action: 'take-down-owner', owner: 'nobody' }, 404],
    ];
    for (const [fields, status] of wrong) {
      const response = await act(perch, signedIn, '/admin/actions', { ...fields, confirmed: '1' });
      expect([fields, response.status]).toEqual([fields, status]);
      expect(await response.text()).toContain('role="alert"');
    }
    const [entry] = await entriesOf('public/nothing-here');
    expect(entry).toMatchObject({ action: 'hide-item', outcome: 'NOT_FOUND', via: 'console' });
  });

  test('leads back to its page, and says each fault once', async () => {
    const signedIn = await signIn(perch, ADMIN_PASSWORD);
    const block = { action: 'block', ip: 'no address', back: '/admin/blocklist' };
    const mark = await markOn(perch, signedIn);
    for (const language of ['en', 'de'])
      for (const reason of ['x', '']) {
        const headers = { Cookie: signedIn.cookie, 'Accept-Language': language };
        const page = await sendForm(perch, '/admin/actions', { ...block, reason, mark }, headers);
        const text = await page.text();
        expect(text).toContain('<a class="console-button" href="/admin/blocklist">');
        expect(text.match(/must be an IPv4/g)).toHaveLength(1);
        expect(text.match(/is needed, for/g) ?? []).toHaveLength(reason === '' ? 1 : 0);
      }
  });

  test('is there once more with all that was entered, each fault beside its field', async () => {
    const signedIn = await signIn(perch, ADMIN_PASSWORD);
    const block = { action: 'block', ip: '203.0.113.0/244', ua: 'BadBot/*', reason: 'Spam & <more>.' };
    const sent = { ...block, duration: 'P7D', confirmed: '1', back: '/admin/blocklist' };
    const text = await (await act(perch, signedIn, '/admin/actions', sent)).text();
    expect(text).toMatch(
      /name="ip" value="203\.0\.113\.0\/244"[^>]* aria-invalid="true"[^>]*><p class="field-error"/,
    );
    expect(text).toMatch(/name="ua" value="BadBot\/\*"[^>]*><\/div>/);
    for (const field of ['name="reason" value="Spam &amp; &lt;more&gt;."', 'name="duration" value="P7D"'])
      expect(text).toContain(field);
    expect(text).toContain('name="action" value="block"');
    expect(text).not.toContain('name="confirmed"');

    const gone = { action: 'note', report: 'no-such-report', note: 'Two\nlines.', back: '/admin/reports' };
    const refused = await act(perch, signedIn, '/admin/actions', gone);
    expect(refused.status).toBe(404);
    expect(await refused.text()).toContain('readonly>\nTwo\nlines.</textarea>');
  });

  test('that filters is there once more, and leads back with the filters that have no fault', async () => {
    const signedIn = await signIn(perch, ADMIN_PASSWORD);
    const text = await textOf('/admin/access?ip=&status=40&ua=Bot&live=1', signedIn);
    expect(text).toMatch(/name="status" value="40"[^>]* aria-invalid="true"/);
    expect(text).toContain('name="ua" value="Bot"');
    expect(text).toContain('<input type="hidden" name="live" value="1">');
    expect(text).toContain('<a class="console-button" href="/admin/access?ip=&amp;ua=Bot&amp;live=1">');
  });

  test('tells of a filter that is none', async () => {
    const signedIn = await signIn(perch, ADMIN_PASSWORD);
    for (const path of [
      '/admin/access?from=yesterday',
      '/admin/publications?owner=me',
      '/admin/reports?status=odd',
      '/admin/audit?action=odd',
      '/admin/owners?limit=0',
    ]) {
      const response = await openPage(perch, path, signedIn);
      expect([path, response.status]).toEqual([path, 400]);
      expect(await response.text()).toContain('role="alert"');
    }
  });
});

describe('the audit trail', () => {
  test('has every change by the API, those that failed, too', async () => {
    const item = await perch.publish('<p>one');
    const other = await perch.publish('<p>two');
    const [key, owner] = [keyOf(item), idOf(other)];
    const reportId = await reportOf(item);
    const ask = async (method: string, path: string, json?: unknown): Promise<Response> =>
      await perch.request(`/api/admin${path}`, { method, ...ADMIN, ...(json === undefined ? {} : { json }) });
    await ask('POST', `/items/${key}/hide`);
    await ask('POST', `/items/${key}/show`);
    await ask('PATCH', `/reports/${reportId}`, { status: 'reviewed', reviewerNote: 'Looked at.' });
    await ask('DELETE', `/items/${key}`);
    await expectError(await ask('DELETE', `/items/${key}`), 404, 'NOT_FOUND');
    const block = await jsonOf<{ id: string }>(
      await ask('POST', '/blocklist', { ip: '192.0.2.9', reason: 'Spam.' }),
      201,
    );
    await ask('DELETE', `/blocklist/${block.id}`);
    await ask('POST', `/owners/${owner}/promote`, { maxTtlDays: 60, label: 'Team' });
    await ask('POST', `/owners/${owner}/demote`);
    await ask('DELETE', `/owners/${owner}`);
    const told = async (target: string) =>
      (await entriesOf(target)).map(({ action, outcome, via, note }) => [action, outcome, via, note]);
    expect(await told(key)).toEqual([
      ['hide-item', 'done', 'api', null],
      ['show-item', 'done', 'api', null],
      ['take-down-item', 'done', 'api', null],
      ['take-down-item', 'NOT_FOUND', 'api', null],
    ]);
    expect(await told(reportId)).toEqual([['review-report', 'done', 'api', 'Looked at.']]);
    expect(await told(block.id)).toEqual([
      ['block-clients', 'done', 'api', 'Spam.'],
      ['end-block', 'done', 'api', null],
    ]);
    expect(await told(owner)).toEqual([
      ['set-owner-terms', 'done', 'api', null],
      ['set-owner-terms', 'done', 'api', null],
      ['take-down-owner', 'done', 'api', null],
    ]);
    expect((await entriesOf(owner))[0]?.target).toBe(`${owner} PRIVILEGED 60 days`);
  });

  test('comes in parts, newest first, and by action', async () => {
    for (let n = 0; n < 5; n++)
      await perch.request(`/api/admin/items/public/${fresh('gone')}`, { method: 'DELETE', ...ADMIN });
    const whole = await trail({ limit: '200' });
    expect(whole.total).toBe(whole.items.length);
    const moments = whole.items.map(({ createdAt }) => Date.parse(createdAt));
    expect(moments).toEqual(moments.toSorted((a, b) => b - a));
    const first = await trail({ limit: '2' });
    const second = await trail({ limit: '2', cursor: first.nextCursor ?? '' });
    expect([...first.items, ...second.items]).toEqual(whole.items.slice(0, 4));
    expect((await trail({ limit: '2', offset: '1' })).items).toEqual(whole.items.slice(1, 3));
    const takedowns = await trail({ action: 'take-down-item', limit: '200' });
    expect(new Set(takedowns.items.map(({ action }) => action))).toEqual(new Set(['take-down-item']));
    for (const query of [{ action: 'odd' }, { limit: '201' }, { limit: '0' }, { cursor: 'odd' }])
      await expectError(
        await perch.request('/api/admin/audit', { ...ADMIN, query }),
        400,
        'VALIDATION_FAILED',
      );
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      await expectError(
        await perch.request('/api/admin/audit', { method, ...ADMIN }),
        405,
        'METHOD_NOT_ALLOWED',
      );
    await expectError(await perch.request('/api/admin/audit'), 401, 'ADMIN_UNAUTHORIZED');
  });
});

test('publications are found by their owner and by where they came from', async () => {
  const signedIn = await signIn(perch, ADMIN_PASSWORD);
  const item = await perch.publish('<p>mine', { headers: { 'X-Forwarded-For': '203.0.113.44' } });
  for (const query of [{ owner: idOf(item) }, { owner: idOf(item).toUpperCase() }, { ip: '203.0.113.44' }]) {
    const found = await listOf<Published>(
      await perch.request('/api/admin/publications', { ...ADMIN, query }),
    );
    expect(found.items.map(({ id }) => id)).toEqual([item.id]);
    expect(await textOf(`/admin/publications?${new URLSearchParams(query)}`, signedIn)).toContain(
      keyOf(item),
    );
  }
  for (const query of [{ owner: 'me' }, { owner: 'f'.repeat(63) }, { ip: 'here' }, { ip: '203.0.113.0/24' }])
    await expectError(
      await perch.request('/api/admin/publications', { ...ADMIN, query }),
      400,
      'VALIDATION_FAILED',
    );
});

test('the health of the server names every process and dependency, and the access log its requests', async () => {
  const signedIn = await signIn(perch, ADMIN_PASSWORD);
  await eventually(async () => {
    const text = await textOf('/admin', signedIn);
    const all = ['gateway', 'content', 'kv', 'site', 'analytics'].every((name) =>
      text.includes(`<th scope="row">${name}</th>`),
    );
    return all && text.includes('All that the server depends on answers.');
  });
  const marker = `/public/${fresh('seen')}`;
  await perch.request(marker);
  const path = `/admin/access?${new URLSearchParams({ path: marker })}`;
  await eventually(async () => (await textOf(path, signedIn)).includes(`GET ${marker}`));
  const text = await textOf(path, signedIn);
  expect(text).toContain('1 request, 1 answered 4xx, 0 answered 5xx');
  expect(text).toContain('Half took up to');
  // Of whole hours, from the sums.
  expect(await textOf('/admin/access?from=2026-01-01&to=2026-01-03', signedIn)).toContain(
    'No request passes this filter.',
  );
});

test('the limits name what is counted of a namespace, or of an owner', async () => {
  const signedIn = await signIn(perch, ADMIN_PASSWORD);
  for (const [language, label, number] of [
    ['en', 'JSON documents of a namespace; in public, of an owner', '10,000'],
    ['de', 'JSON-Dokumente eines Namensraums; in public eines Besitzers', '10.000'],
  ] as const) {
    const headers = { Accept: 'text/html', Cookie: signedIn.cookie, 'Accept-Language': language };
    const text = await (await perch.request('/admin/limits', { headers })).text();
    expect(text).toContain(`<dt>${label}</dt><dd>${number}</dd>`);
  }
});

test('the followed access log has none of the looks at it', async () => {
  const signedIn = await signIn(perch, ADMIN_PASSWORD);
  const marker = fresh('follow');
  const look = `/admin/access?live=1&ua=${marker}`;
  const headers = { Accept: 'text/html', 'User-Agent': marker };
  const own = { ...headers, Cookie: signedIn.cookie };
  // Nor do the metrics count them among what the log has: an alarm compares the two.
  const loggable = async (): Promise<number> => {
    const metrics = await (await fetch(`${perch.url}/metrics`)).text();
    const counts = metrics.matchAll(/^http_requests_total\{kind="(?:page|api)",.* (\d+)$/gm);
    return Array.from(counts, ([, count]) => Number(count)).reduce((sum, count) => sum + count, 0);
  };
  const before = await loggable();
  for (let n = 0; n < 3; n++) expect((await perch.request(look, { headers: own })).status).toBe(200);
  expect(await loggable()).toBe(before);
  // Others stay in the log: of nobody who is signed in, refused, and not followed.
  expect((await perch.request(look, { headers })).status).toBe(401);
  expect((await perch.request(`${look}&status=40`, { headers: own })).status).toBe(400);
  expect((await perch.request(`/admin/access?ua=${marker}`, { headers: own })).status).toBe(200);
  await eventually(async () => {
    const query = { ua: marker, path: '/admin/access' };
    const { items } = await listOf<{ status: number }>(
      await perch.request('/api/admin/access', { ...ADMIN, query }),
    );
    const statuses = items.map(({ status }) => status).toSorted();
    return statuses.join() === '200,400,401';
  });
});
