import { describe, expect, test } from 'bun:test';
import { jsonOf } from './support/client.ts';
import { expectError } from './support/errors.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

const CATEGORIES = 'spam phishing malware copyright harassment illegal cannot_delete other'.split(' ');

const report = (fields: Record<string, unknown>) => ({
  reportedUrl: `${perch.url}/public/bad`,
  category: 'spam',
  description: 'It advertises things.',
  ...fields,
});

const send = (fields: Record<string, unknown>) =>
  perch.request('/api/reports', { method: 'POST', json: report(fields) });

describe('POST /api/reports', () => {
  test.each(CATEGORIES)('takes a report of the category %s', async (category) => {
    const before = Date.now();
    const { reportId, receivedAt } = await jsonOf<{ reportId: string; receivedAt: string }>(
      await send({ category }),
      201,
    );
    expect(reportId).toMatch(/^[A-Za-z0-9]{10}$/);
    expect(Date.parse(receivedAt)).toBeWithin(before - 5_000, Date.now() + 5_000);
  });

  test('takes the optional fields', async () => {
    const fields = { reporterEmail: 'me@example.org', resourceNamespace: 'public', resourceId: 'bad' };
    expect((await send(fields)).status).toBe(201);
  });

  test.each([
    ['description', 'x'.repeat(9), 400],
    ['description', 'x'.repeat(10), 201],
    ['description', 'x'.repeat(4999), 201],
    ['description', 'ü'.repeat(5000), 201],
    ['description', 'x'.repeat(5001), 400],
    ['description', `a${'\r\n'.repeat(4998)}b`, 201],
    ['description', `a${'\r\n'.repeat(4999)}b`, 400],
    ['description', 'nul \0 in the text', 400],
    ['description', 'half \ud800 of a pair', 400],
    ['description', 42, 400],
    ['category', 'boredom', 400],
    ['category', undefined, 400],
    ['reportedUrl', 'not an address', 400],
    ['reportedUrl', undefined, 400],
    ['reportedUrl', `http://localhost/${'x'.repeat(1983)}`, 201],
    ['reportedUrl', `http://localhost/${'x'.repeat(1984)}`, 400],
    ['reportedUrl', 'javascript:alert(1)', 400],
    ['reportedUrl', 'http://localhost/nul\0', 400],
    ['reportedUrl', 'http://localhost/half\udfff', 400],
    ['reporterEmail', 'nul\0@example.org', 400],
    ['reporterEmail', 'half\ud800@example.org', 400],
    ['reporterEmail', 'nobody', 400],
    ['reporterEmail', '', 201],
    ['reporterEmail', null, 201],
    ['reporterEmail', 42, 400],
    ['reporterEmail', ['me@example.org'], 400],
  ])('%s %#', async (field, value, status) => {
    const response = await send({ [field]: value });
    if (status === 201) expect(response.status).toBe(201);
    else await expectError(response, status, 'VALIDATION_FAILED', field);
  });

  test('says what a description must not have, unless its length is the fault', async () => {
    const messageOf = async (description: string): Promise<string | undefined> => {
      const { details } = await expectError(await send({ description }), 400, 'VALIDATION_FAILED');
      expect(details).toHaveLength(1);
      return details?.[0]?.message;
    };
    for (const description of ['nul \0 in the text', 'half \ud800 of a pair'])
      expect(await messageOf(description)).toBe('must not contain NUL or half of a surrogate pair.');
    for (const description of ['x', '\0', 'x'.repeat(5_001)])
      expect(await messageOf(description)).toBe('has 10 to 5000 characters.');
  });

  test.each<[namespace: unknown, id: unknown, faults: string[]]>([
    ['AB', 'abc', ['resourceNamespace']],
    ['ab', 'abc', ['resourceNamespace']],
    ['api', 'abc', ['resourceNamespace']],
    ['public/abc', 'x', ['resourceNamespace']],
    ['public%2D', 'x', ['resourceNamespace']],
    [42, 'abc', ['resourceNamespace']],
    ['public', '.hidden', ['resourceId']],
    ['public', 'abc/part', ['resourceId']],
    ['public', 'x'.repeat(65), ['resourceId']],
    ['public', ['abc'], ['resourceId']],
    ['AB', undefined, ['resourceNamespace']],
    ['AB', '.hidden', ['resourceNamespace', 'resourceId']],
    [undefined, 'abc', []],
    [' ', 'abc', []],
    ['public', undefined, []],
    ['public', null, []],
    ['public', '', []],
    ['public', 'x'.repeat(64), []],
    ['public', ' abc ', []],
    [undefined, null, []],
    ['', ' ', []],
  ])('resourceNamespace %p and resourceId %p', async (resourceNamespace, resourceId, faults) => {
    const response = await send({ resourceNamespace, resourceId });
    if (faults.length === 0) expect(response.status).toBe(201);
    else {
      const { details } = await expectError(response, 400, 'VALIDATION_FAILED');
      expect(details?.map(({ field }) => field)).toEqual(faults);
    }
  });

  test('names every fault at once', async () => {
    const body = await expectError(
      await perch.request('/api/reports', { method: 'POST', json: { resourceNamespace: 'AB' } }),
      400,
      'VALIDATION_FAILED',
    );
    expect(body.details?.map(({ field }) => field)).toEqual([
      ...['reportedUrl', 'category', 'description', 'resourceNamespace'],
    ]);
  });

  test('wants a JSON object', async () => {
    const post = (body: string) =>
      perch.request('/api/reports', {
        method: 'POST',
        body,
        headers: { 'Content-Type': 'application/json' },
      });
    await expectError(await post('{'), 400, 'JSON_INVALID');
    await expectError(await post('[]'), 400, 'JSON_INVALID');
    await expectError(
      await post(JSON.stringify(report({ filler: 'x'.repeat(140_000) }))),
      400,
      'VALIDATION_FAILED',
    );
  });
});

describe('/report', () => {
  test('shows a form that names the item of the top bar link', async () => {
    const response = await perch.request('/report', { query: { item: 'public/bad' } });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain(`value="${perch.url}/public/bad"`);
  });

  test('does not repeat what is no item', async () => {
    const response = await perch.request('/report', { query: { item: 'public/"><script>' } });
    expect(response.status).toBe(200);
    expect(await response.text()).not.toContain('<script>');
  });

  const submit = (fields: Record<string, string>) =>
    perch.request('/report', {
      method: 'POST',
      body: new URLSearchParams(fields).toString(),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'text/html' },
    });

  const WHOLE = { category: 'malware', description: 'It installs things.' };

  test('leads to a page that thanks for a report and names its id', async () => {
    const response = await submit({ ...WHOLE, reportedUrl: `${perch.url}/public/bad` });
    expect(response.status).toBe(303);
    const thanks = new URL(response.headers.get('Location') ?? '', perch.url);
    const number = thanks.searchParams.get('number') ?? '';
    expect(number).toMatch(/^[A-Za-z0-9]{10}$/);
    const page = await perch.request(thanks.pathname, { query: Object.fromEntries(thanks.searchParams) });
    expect(page.status).toBe(200);
    expect(await page.text()).toContain(`<code>${number}</code>`);
  });

  test('thanks for no number but one that it has given out', async () => {
    const { reportId } = await jsonOf<{ reportId: string }>(await send({}), 201);
    const response = await submit({ ...WHOLE, reportedUrl: `${perch.url}/public/bad` });
    const mark = new URL(response.headers.get('Location') ?? '', perch.url).searchParams.get('mark') ?? '';
    for (const query of [{ number: reportId }, { number: reportId, mark }, { number: 'YouHaveWon', mark }]) {
      const page = await perch.request('/report', { query });
      expect(page.status).toBe(200);
      const text = await page.text();
      expect(text).toContain('name="description"');
      expect(text).not.toContain(query.number);
    }
  });

  test('keeps what was entered when something is wrong', async () => {
    const response = await submit({
      reportedUrl: `${perch.url}/public/bad`,
      category: 'malware',
      description: 'Short',
    });
    expect(response.status).toBe(400);
    const page = await response.text();
    expect(page).toContain('10 to 5000 characters');
    expect(page).toContain('Short</textarea>');
    expect(page).toContain('<option value="malware" selected>');
  });

  test('says in German what is wrong, to those who read German', async () => {
    const fields = { reportedUrl: 'ftp://x', category: '', description: '', reporterEmail: 'nobody' };
    const response = await perch.request('/report', {
      method: 'POST',
      body: new URLSearchParams(fields).toString(),
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded',
        Accept: 'text/html',
        'Accept-Language': 'de',
      },
    });
    expect(response.status).toBe(400);
    const faults = [...(await response.text()).matchAll(/class="field-error" id="[^"]+">([^<]+)/g)];
    expect(faults.map(([, text]) => text)).toEqual([
      'Gib die ganze Adresse an, die mit https:// oder http:// beginnt.',
      'Wähle einen der Gründe.',
      'Schreibe mindestens 10 Zeichen.',
      'Das ist keine E-Mail-Adresse. Korrigiere sie oder lass das Feld leer.',
    ]);
  });

  test('takes nothing but a form', async () => {
    const options = { method: 'POST', json: report({}) };
    await expectError(await perch.request('/report', options), 415, 'UNSUPPORTED_MEDIA_TYPE');
  });
});
