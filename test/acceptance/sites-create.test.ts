import { describe, expect, test } from 'bun:test';
import { validArchives } from '../hostile/archives.ts';
import { codePath, jsonOf, raw, servedByPath, shortPath } from './support/client.ts';
import { atOnce, fresh } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { fieldsOf, form } from './support/multipart.ts';
import { sharePerch } from './support/perch.ts';
import {
  archiveOf,
  type PublishedSite,
  postArchive,
  postSite,
  postSiteForm,
  publishSite,
  readSite,
  recordOf,
} from './support/site-client.ts';

const perch = sharePerch();
const DAY_MS = 86_400_000;

const FILES = { 'index.html': '<title>Birds</title><p>Hello.', 'css/site.css': 'p { color: teal }' };
const archive = archiveOf(FILES);
const zipPart = (name: string, filename = 'site.zip') => ({ name, filename, content: archive });

const WAYS: Record<string, () => Promise<Response>> = {
  'as application/zip': () => postArchive(perch, archive),
  'as application/x-zip-compressed': () => postSite(perch, raw(archive, 'application/x-zip-compressed')),
  'as the part archive': () => postSiteForm(perch, [zipPart('archive')]),
  'as the part file': () => postSiteForm(perch, [zipPart('file')]),
  'as a part without a name of its own': () => postSiteForm(perch, [{ name: 'archive', content: archive }]),
};

describe('a ZIP archive', () => {
  test.each(Object.keys(WAYS))('becomes a site: %s', async (way) => {
    const response = await WAYS[way]?.();
    const site = await jsonOf<PublishedSite>(response ?? new Response(), 201);
    expect(site).toMatchObject({ entryFile: 'index.html', fileCount: 2 });
    for (const [path, content] of Object.entries(FILES))
      expect(await (await readSite(perch, site, path)).text()).toBe(content);
  });

  test('of another type is refused', async () => {
    for (const type of ['text/html', 'application/json', 'application/gzip', 'multipart/mixed; boundary=x'])
      await expectError(await postSite(perch, raw(archive, type)), 415, 'UNSUPPORTED_MEDIA_TYPE');
    const untyped = await postSite(perch, { body: new Uint8Array(archive) });
    const { message } = await expectError(untyped, 415, 'UNSUPPORTED_MEDIA_TYPE');
    expect(message).toStartWith('There is no Content-Type');
  });

  test('comes alone', async () => {
    const page = { name: 'files', filename: 'index.html', content: '<p>x' };
    for (const parts of [
      [zipPart('archive'), zipPart('archive')],
      [zipPart('archive'), zipPart('file')],
      [zipPart('archive'), page],
      [page, zipPart('archive')],
      [{ ...zipPart('archive'), name: 'upload' }],
      fieldsOf({ title: 'nothing else' }),
      [],
    ])
      await expectError(await postSiteForm(perch, parts), 400, 'VALIDATION_FAILED');
  });

  for (const valid of validArchives) {
    test(`is taken as what it is: ${valid.name}`, async () => {
      const site = await jsonOf<PublishedSite>(await postArchive(perch, valid.build()), 201);
      expect(site.entryFile).toBe(valid.entryFile);
      const { files } = await recordOf(perch, site);
      expect(files.map(({ path, sizeBytes }) => [path, sizeBytes])).toEqual(
        Object.entries(valid.files)
          .map(([path, { length }]): [string, number] => [path, length])
          .toSorted(([one], [other]) => (one < other ? -1 : 1)),
      );
      for (const [path, content] of Object.entries(valid.files).slice(0, 20)) {
        const encoded = path.split('/').map(encodeURIComponent).join('/');
        const response = await readSite(perch, site, encoded);
        expect([path, response.status]).toEqual([path, 200]);
        expect(Bun.hash(await response.bytes())).toBe(Bun.hash(content));
      }
    });
  }
});

describe('the answer', () => {
  test('has every field', async () => {
    const response = await postArchive(perch, archive);
    const site = await jsonOf<PublishedSite>(response, 201);
    const { id, shortUrl, ownerToken, createdAt, expiresAt, title } = site;
    const url = `${perch.url}/public/${id}`;
    const bytes = FILES['index.html'].length + FILES['css/site.css'].length;
    expect(site).toEqual({
      namespace: 'public',
      id,
      url,
      shortUrl,
      link: url,
      ownerToken,
      title,
      sizeBytes: bytes,
      ownerLink: `${perch.url}/api/sites/public/${id}`,
      tags: [],
      ttlDays: 15,
      hasPassword: false,
      createdAt,
      expiresAt,
      entryFile: 'index.html',
      fileCount: 2,
      totalSizeBytes: bytes,
      ...servedByPath(perch.url, site),
      result: { code: 'success', action: 'created' },
    } as unknown as PublishedSite);
    expect(id).toMatch(/^[A-Za-z0-9]{10}$/);
    expect(ownerToken).toMatch(/^own_[\w-]{43}$/);
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(15 * DAY_MS);
    expect(response.headers.get('Location')).toBe(url);
    const short = await perch.request(codePath(site));
    expect([short.status, short.headers.get('Location')]).toEqual([302, `${perch.url}${shortPath(site)}`]);
  });

  test('is the address alone for who prefers text', async () => {
    const response = await postArchive(perch, archive, { headers: { Accept: 'text/plain' } });
    expect([response.status, await response.text()]).toEqual([201, `${response.headers.get('Location')}\n`]);
    expect(response.headers.get('X-Owner-Token')).toStartWith('own_');
  });

  test('has what the parameters say, in the form or in the query, which wins', async () => {
    const fields = { ns: 'site-form', id: 'form', ttl: '2d', tags: 'a, B', title: 'Form', password: 'form' };
    const said = { namespace: 'site-form', ttlDays: 2, tags: ['a', 'b'], title: 'Form', hasPassword: true };
    for (const [n, parts] of [
      [...fieldsOf(fields), zipPart('archive')],
      [zipPart('archive'), ...fieldsOf({ ...fields, id: 'form-2' })],
    ].entries()) {
      const site = await jsonOf<PublishedSite>(await postSiteForm(perch, parts), 201);
      expect(site).toMatchObject({ ...said, id: n === 0 ? 'form' : 'form-2' });
    }
    const query = { ns: 'site-query', id: 'query', ttl: 3, tags: 'q', title: 'Query', p: 'query' };
    const options = form([...fieldsOf(fields), zipPart('archive')], { query });
    const site = await jsonOf<PublishedSite>(await postSite(perch, options), 201);
    expect(site).toMatchObject({ namespace: 'site-query', id: 'query', ttlDays: 3, title: 'Query' });
    expect((await readSite(perch, site, '', { query: { p: 'query' } })).status).toBe(200);
    expect((await readSite(perch, site, '', { query: { p: 'form' } })).status).toBe(403);
  });

  test('to what is wrong names it', async () => {
    const wrong = { ttl: ['99', 'TTL_INVALID'], ns: ['No', 'NAMESPACE_INVALID'], id: ['-', 'ID_INVALID'] };
    for (const [name, [value = '', code = '']] of Object.entries(wrong)) {
      await expectError(await postArchive(perch, archive, { query: { [name]: value } }), 400, code);
      const parts = [zipPart('archive'), ...fieldsOf({ [name]: value })];
      await expectError(await postSiteForm(perch, parts), 400, code);
    }
  });
});

describe('at once', () => {
  test('many sites come to be, each with its own files', async () => {
    await atOnce(10, async (n) => {
      const site = await publishSite(perch, { 'index.html': `<p>${n}`, [`${n}.txt`]: `file ${n}` });
      expect(await (await readSite(perch, site, '')).text()).toBe(`<p>${n}`);
      expect(await (await readSite(perch, site, `${n}.txt`)).text()).toBe(`file ${n}`);
    });
  });

  test('one address goes to one of many', async () => {
    const query = { ns: 'contested-sites', id: 'one' };
    const answers = await atOnce(8, (n) =>
      postArchive(perch, archiveOf({ 'index.html': `${n}` }), { query }),
    );
    const won = answers.findIndex(({ status }) => status === 201);
    for (const [n, answer] of answers.entries()) if (n !== won) await expectError(answer, 409, 'ID_TAKEN');
    expect(await (await readSite(perch, { namespace: query.ns, id: 'one' }, '')).text()).toBe(`${won}`);
  });

  test('one Idempotency-Key makes one site', async () => {
    const options = { headers: { 'Idempotency-Key': fresh('one-site-sent-again') } };
    const sites = await atOnce(6, async () =>
      jsonOf<PublishedSite>(await postArchive(perch, archive, options), 201),
    );
    expect(new Set(sites.map(({ id }) => id)).size).toBe(1);
    expect(new Set(sites.map(({ ownerToken }) => ownerToken)).size).toBe(1);
  });
});
