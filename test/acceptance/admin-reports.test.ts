import { describe, expect, test } from 'bun:test';
import { ADMIN_PASSWORD } from '../shared-instance.ts';
import { type ListPart, listOf } from './support/admin-list.ts';
import { jsonOf, type RequestOptions, raw, USER_AGENT } from './support/client.ts';
import { atOnce, fresh } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

const ADMIN = { headers: { 'X-Admin-Password': ADMIN_PASSWORD } };
const PATH = '/api/admin/reports';

interface Report {
  reportId: string;
  id: string;
  reportedUrl: string;
  category: string;
  description: string;
  reporterEmail: string | null;
  resourceNamespace: string | null;
  resourceId: string | null;
  resourceType: string;
  status: string;
  reviewerNote: string | null;
  receivedAt: string;
  createdAt: string;
  reviewedAt: string | null;
  /** Not in lists. */
  reporterIp?: string | null;
  reporterUserAgent?: string | null;
}

async function submit(
  fields: Record<string, unknown> = {},
): Promise<{ reportId: string; receivedAt: string }> {
  const report = { reportedUrl: `${perch.url}/public/bad`, category: 'spam', description: 'It advertises.' };
  const response = await perch.request('/api/reports', { method: 'POST', json: { ...report, ...fields } });
  return await jsonOf(response, 201);
}

const list = async (query: RequestOptions['query'] = {}, client = perch.last): Promise<ListPart<Report>> => {
  const response = await client.request(PATH, { ...ADMIN, query });
  expect(response.headers.get('Cache-Control')).toBe('no-store');
  return await listOf<Report>(response);
};

const read = async (reportId: string, client = perch.last): Promise<Report> => {
  const response = await client.request(`${PATH}/${reportId}`, ADMIN);
  expect(response.headers.get('Cache-Control')).toBe('no-store');
  return await jsonOf<Report>(response);
};

const review = (reportId: string, json: unknown, client = perch.last): Promise<Response> =>
  client.request(`${PATH}/${reportId}`, { method: 'PATCH', ...ADMIN, json });

const reviewed = async (...args: Parameters<typeof review>): Promise<Report> =>
  await jsonOf<Report>(await review(...args));

describe('a report', () => {
  test('comes to the operator as it was sent', async () => {
    const fields = {
      reportedUrl: `${perch.url}/team-notes/bad/part?x=1`,
      category: 'copyright',
      description: 'Zeile 1\nLine 2 "quoted" 😀',
      reporterEmail: 'me@example.org',
      resourceNamespace: 'team-notes',
      resourceId: 'bad',
    };
    const sent = await submit(fields);
    const summary = {
      ...fields,
      ...sent,
      id: sent.reportId,
      createdAt: sent.receivedAt,
      resourceType: 'unknown',
      status: 'new',
      reviewerNote: null,
      reviewedAt: null,
    };
    for (const client of perch.clients) {
      expect(await read(sent.reportId, client)).toEqual({
        ...summary,
        reporterIp: expect.stringMatching(/127\.0\.0\.1|::1/),
        reporterUserAgent: USER_AGENT,
      });
      expect((await list({}, client)).items).toContainEqual(summary);
    }
    const bare = await submit({ reportedUrl: 'https://elsewhere.example/' });
    expect(await read(bare.reportId)).toMatchObject({
      reporterEmail: null,
      resourceNamespace: null,
      resourceId: null,
    });
  });

  test('has the item that it names, else the one of its address, also of that in the API', async () => {
    const itemOf = async (fields: Record<string, unknown>): Promise<string> => {
      const { resourceNamespace, resourceId } = await read((await submit(fields)).reportId);
      return `${resourceNamespace}/${resourceId}`;
    };
    const named = { resourceNamespace: ' team-notes ', resourceId: 'B.a-d_1' };
    expect(await itemOf({ reportedUrl: `${perch.url}/public/x`, ...named })).toBe('team-notes/B.a-d_1');
    expect(await itemOf({ reportedUrl: 'https://elsewhere.example/', ...named })).toBe('team-notes/B.a-d_1');
    for (const [part, item] of [
      [{ resourceNamespace: 'public' }, 'public/x'],
      [{ resourceId: 'x' }, 'public/x'],
      [{ resourceNamespace: 'team-notes' }, 'null/null'],
      [{ resourceId: 'y' }, 'null/null'],
    ] as const)
      expect(await itemOf({ reportedUrl: `${perch.url}/public/x`, ...part })).toBe(item);
    for (const kind of ['html', 'kv', 'json', 'files', 'sites'])
      for (const rest of ['', '/', '/part/of/it', '?raw=true', '#part'])
        expect(await itemOf({ reportedUrl: `${perch.url}/api/${kind}/team-notes/bad${rest}` })).toBe(
          'team-notes/bad',
        );
    for (const path of [
      '/api/html',
      '/api/html/team-notes',
      '/api/nothing/team-notes/bad',
      '/api/html/AB/bad',
    ])
      expect(await itemOf({ reportedUrl: `${perch.url}${path}` })).toBe('null/null');
    // A page of somebody else's may have any path.
    const own = new URL(perch.url).hostname;
    expect(await itemOf({ reportedUrl: `https://${own}:8443/public/x` })).toBe('public/x');
    for (const host of ['elsewhere.example', `${own}.elsewhere.example`, '192.0.2.7'])
      expect([host, await itemOf({ reportedUrl: `https://${host}/public/x` })]).toEqual([host, 'null/null']);
  });

  test('has no secret of the address', async () => {
    const { host } = new URL(perch.url);
    const ticket = `1795000000.${'x'.repeat(43)}`;
    const query = 'p=secret&raw=1&%74oken=own_secret';
    const reportedUrl = `http://user:secret@${host}/public/bad/~${ticket}/a.html?${query}#part`;
    expect(await read((await submit({ reportedUrl })).reportId)).toMatchObject({
      reportedUrl: `http://${host}/public/bad/~***/a.html?p=***&raw=1&%74oken=***#part`,
      resourceNamespace: 'public',
      resourceId: 'bad',
    });
  });

  test('from the form for people is one like any other', async () => {
    const fields = {
      reportedUrl: `${perch.url}/public/bad`,
      category: 'malware',
      description: fresh('From a form'),
    };
    const response = await perch.request(
      '/report',
      raw(new URLSearchParams(fields).toString(), 'application/x-www-form-urlencoded', { method: 'POST' }),
    );
    expect(response.status).toBe(303);
    const { items } = await list();
    expect(items).toContainEqual(expect.objectContaining({ ...fields, resourceId: 'bad', status: 'new' }));
  });
});

describe('the list of reports', () => {
  test('is in order, newest first, and comes in parts', async () => {
    const made: string[] = [];
    for (let n = 0; n < 5; n++) {
      made.unshift((await submit()).reportId);
      await Bun.sleep(2);
    }
    const whole = await list({ limit: 100 });
    expect(whole.items.slice(0, 5).map(({ reportId }) => reportId)).toEqual(made);
    const { total } = whole;
    expect(whole.items).toHaveLength(total);
    expect(await list()).toEqual(whole);
    for (const limit of [1, 2, total - 1, total, total + 1]) {
      const byOffset: Report[] = [];
      for (let offset = 0; offset < total; offset += limit) {
        const part = await list({ offset, limit });
        expect(part.total).toBe(total);
        byOffset.push(...part.items);
      }
      expect(byOffset).toEqual(whole.items);
      expect(await list({ offset: total, limit })).toEqual({ ...whole, items: [], nextCursor: null });
    }
  });

  test('is walked through by its links, though it grows', async () => {
    const { items } = await list({ status: 'new', limit: 100 });
    const walked: Report[] = [];
    let address: string | null = `${PATH}?status=new&limit=2&offset=1`;
    while (address !== null) {
      const response: Response = await perch.request(address, ADMIN);
      const link: string | null = response.headers.get('Link');
      walked.push(...(await jsonOf<Report[]>(response)));
      address = link === null ? null : link.slice(1, link.indexOf('>')).replace(perch.url, '');
      await submit();
    }
    expect(walked).toEqual(items.slice(1));
  });

  test('tells which kind of item it was, also when that is gone', async () => {
    const page = await perch.publish('<p>bad');
    const reportedUrl = `${perch.url}/${page.namespace}/${page.id}`;
    const { reportId } = await submit({ reportedUrl });
    await perch.request(`/api/admin/items/${page.namespace}/${page.id}`, { method: 'DELETE', ...ADMIN });
    expect((await read(reportId)).resourceType).toBe('html');
    expect((await read((await submit({ reportedUrl })).reportId)).resourceType).toBe('unknown');
  });

  test('shows one status, or all', async () => {
    const statuses = ['new', 'reviewed', 'dismissed', 'actioned'];
    const ids: string[] = [];
    for (const status of statuses) {
      const { reportId } = await submit();
      await reviewed(reportId, { status });
      ids.push(reportId);
    }
    for (const [n, status] of statuses.entries()) {
      const { items, total } = await list({ status, limit: 100 });
      expect(items).toHaveLength(total);
      expect(new Set(items.map((item) => item.status))).toEqual(new Set([status]));
      for (const [other, id] of ids.entries())
        expect(items.some(({ reportId }) => reportId === id)).toBe(other === n);
    }
    expect((await list({ status: '', limit: 100 })).items.map(({ reportId }) => reportId)).toContain(
      ids[0] ?? '',
    );
  });

  test('refuses limits, offsets, cursors and statuses that are none', async () => {
    const ask = (query: Record<string, string>) => perch.request(PATH, { ...ADMIN, query });
    for (const field of ['limit', 'offset'])
      for (const value of ['-1', '1.5', 'x', '99999999999'])
        await expectError(await ask({ [field]: value }), 400, 'VALIDATION_FAILED', field);
    for (const limit of ['0', '101'])
      await expectError(await ask({ limit }), 400, 'VALIDATION_FAILED', 'limit');
    expect((await ask({ limit: '100', offset: '100000' })).status).toBe(200);
    for (const cursor of ['x', Buffer.from('1.a b').toString('base64url')])
      await expectError(await ask({ cursor }), 400, 'VALIDATION_FAILED', 'cursor');
    for (const status of ['New', 'open', 'new,reviewed'])
      await expectError(await ask({ status }), 400, 'VALIDATION_FAILED', 'status');
  });

  test('holds a page of the largest reports', async () => {
    const description = '\u0001'.repeat(4_998);
    for (let round = 0; round < 5; round++)
      await atOnce(20, async () => {
        const { reportId } = await submit({ description: `<${description}>`, category: 'illegal' });
        await reviewed(reportId, { reviewerNote: `<${description}>` });
      });
    const { items } = await list({ limit: 100 });
    expect(items.filter((item) => item.reviewerNote?.length === 5_000)).toHaveLength(100);
  });
});

describe('a review', () => {
  test('sets the status, the note, or both, and when that was', async () => {
    const { reportId } = await submit();
    const before = await read(reportId);
    const first = await reviewed(reportId, { status: 'reviewed' });
    expect(first).toEqual({ ...before, status: 'reviewed', reviewedAt: expect.any(String) });
    expect(Date.parse(first.reviewedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(before.receivedAt));
    const second = await reviewed(reportId, { reviewerNote: '  Looks bad.\nVery.  ' });
    expect(second).toMatchObject({ status: 'reviewed', reviewerNote: 'Looks bad.\nVery.' });
    const third = await reviewed(reportId, {
      status: 'actioned',
      reviewerNote: 'Taken down.',
      category: 'other',
    });
    expect(third).toMatchObject({ status: 'actioned', reviewerNote: 'Taken down.', category: 'spam' });
    for (const client of perch.clients) expect(await read(reportId, client)).toEqual(third);
    for (const nothing of [null, '', '   '])
      expect(await reviewed(reportId, { reviewerNote: nothing })).toMatchObject({ reviewerNote: null });
    expect(await reviewed(reportId, { status: 'new' })).toMatchObject({ status: 'new', reviewedAt: null });
    expect(await reviewed(reportId, { reviewerNote: 'Still new.' })).toMatchObject({ reviewedAt: null });
  });

  test('takes a note of 5000 characters', async () => {
    const { reportId } = await submit();
    for (const note of ['x'.repeat(4_999), '😀'.repeat(5_000)])
      expect((await reviewed(reportId, { reviewerNote: note })).reviewerNote).toBe(note);
    const lines = { reviewerNote: `a${'\r\n'.repeat(4_998)}b` };
    expect((await reviewed(reportId, lines)).reviewerNote).toBe(`a${'\n'.repeat(4_998)}b`);
    await reviewed(reportId, { reviewerNote: '😀'.repeat(5_000) });
    for (const reviewerNote of ['x'.repeat(5_001), '😀'.repeat(5_001), 'nul \0', '\ud800', 42, {}, ['x']])
      await expectError(await review(reportId, { reviewerNote }), 400, 'VALIDATION_FAILED', 'reviewerNote');
    expect((await read(reportId)).reviewerNote).toBe('😀'.repeat(5_000));
  });

  test('says what a note must not have', async () => {
    const { reportId } = await submit();
    for (const [reviewerNote, message] of [
      ['nul \0', 'must not contain NUL or half of a surrogate pair.'],
      ['\ud800', 'must not contain NUL or half of a surrogate pair.'],
      ['\0'.repeat(5_001), 'is text of at most 5000 characters, or null.'],
      [42, 'is text of at most 5000 characters, or null.'],
    ]) {
      const { details } = await expectError(
        await review(reportId, { reviewerNote }),
        ...([400, 'VALIDATION_FAILED'] as const),
      );
      expect(details).toEqual([{ field: 'reviewerNote', message: String(message) }]);
    }
  });

  test('refuses what is none', async () => {
    const { reportId } = await submit();
    for (const status of ['New', 'open', '', 1, [], {}])
      await expectError(await review(reportId, { status }), 400, 'VALIDATION_FAILED', 'status');
    for (const body of [{}, { note: 'x' }, { status: null }])
      await expectError(await review(reportId, body), 400, 'VALIDATION_FAILED', 'body');
    const body = await expectError(
      await review(reportId, { status: 'x', reviewerNote: 1 }),
      400,
      'VALIDATION_FAILED',
    );
    expect(body.details?.map(({ field }) => field)).toEqual(['status', 'reviewerNote']);
    for (const text of ['', '{', '[]', 'null'])
      await expectError(
        await perch.request(`${PATH}/${reportId}`, {
          method: 'PATCH',
          ...raw(text, 'application/json', ADMIN),
        }),
        ...([400, 'JSON_INVALID'] as const),
      );
    await expectError(
      await review(reportId, { filler: 'x'.repeat(140_000) }),
      400,
      'VALIDATION_FAILED',
      'body',
    );
    expect(await read(reportId)).toMatchObject({ status: 'new', reviewerNote: null });
  });

  test('of a report that is not there is 404', async () => {
    for (const id of [
      'no-such-report',
      'x'.repeat(64),
      'x'.repeat(65),
      '%00',
      '%27',
      'a%20b',
      'owner-check',
    ]) {
      await expectError(await perch.request(`${PATH}/${id}`, ADMIN), 404, 'NOT_FOUND');
      await expectError(await review(id, { status: 'reviewed' }), 404, 'NOT_FOUND');
    }
  });

  test('by many at once ends as one of them, field by field', async () => {
    const { reportId } = await submit();
    const statuses = ['reviewed', 'dismissed', 'actioned'];
    const answers = await atOnce(12, (n) => {
      const client = n % 2 === 0 ? perch : perch.last;
      return n < 6
        ? reviewed(reportId, { status: statuses[n % 3] }, client)
        : reviewed(reportId, { reviewerNote: `note ${n}` }, client);
    });
    expect(answers).toContainEqual(await read(reportId));
    expect(statuses).toContain((await read(reportId)).status);
    expect((await read(reportId)).reviewerNote).toStartWith('note ');
  });
});

describe('reports', () => {
  test('are for the operator only', async () => {
    const { reportId } = await submit();
    const requests: Array<[path: string, options: RequestOptions]> = [
      [PATH, {}],
      [PATH, { query: { status: 'nonsense' } }],
      [`${PATH}/${reportId}`, {}],
      [`${PATH}/unknown`, {}],
      [`${PATH}/${reportId}`, { method: 'PATCH', json: { status: 'dismissed' } }],
      [`${PATH}/${reportId}`, { method: 'PATCH', json: { status: 'nonsense' } }],
    ];
    for (const [path, options] of requests)
      for (const headers of [
        {},
        { 'X-Admin-Password': '' },
        { 'X-Owner-Token': ADMIN_PASSWORD, 'X-Password': ADMIN_PASSWORD },
      ]) {
        const response = await perch.request(path, { ...options, headers });
        expect(response.headers.get('Cache-Control')).toBe('no-store');
        await expectError(response, 401, 'ADMIN_UNAUTHORIZED');
      }
    const headers = { 'X-Admin-Password': `${ADMIN_PASSWORD}!` };
    await expectError(await perch.request(PATH, { headers }), 401, 'ADMIN_UNAUTHORIZED');
    expect((await read(reportId)).status).toBe('new');
  });

  test('know the methods they are said to', async () => {
    const { reportId } = await submit();
    for (const [path, allow, wrong] of [
      [PATH, 'GET, HEAD, OPTIONS', ['POST', 'PUT', 'PATCH', 'DELETE']],
      [`${PATH}/${reportId}`, 'GET, HEAD, OPTIONS, PATCH', ['POST', 'PUT', 'DELETE']],
    ] as const) {
      const options = await perch.request(path, { method: 'OPTIONS' });
      expect([options.status, options.headers.get('Allow')]).toEqual([204, allow]);
      const head = await perch.request(path, { method: 'HEAD', ...ADMIN });
      expect([head.status, await head.text()]).toEqual([200, '']);
      expect((await perch.request(path, { method: 'HEAD' })).status).toBe(401);
      for (const method of wrong)
        await expectError(await perch.request(path, { method, ...ADMIN }), 405, 'METHOD_NOT_ALLOWED');
    }
  });
});
