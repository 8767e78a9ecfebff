import { describe, expect, test } from 'bun:test';
import { auditBlobs } from '../faults/blob-audit.ts';
import { uploadedFiles } from '../faults/upload-folder.ts';
import { jsonOf, ownedBy, raw, shortPath } from './support/client.ts';
import { atOnce, eventually, tally } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { viewsOf } from './support/file-client.ts';
import { form } from './support/multipart.ts';
import { usePerch } from './support/perch.ts';
import {
  archiveOf,
  type PublishedSite,
  publishSite,
  readSite,
  recordOf,
  replaceSite,
  type SiteFiles,
  siteApiPath,
} from './support/site-client.ts';

const perch = usePerch({ gateways: 2, env: { BLOB_GRACE_SECONDS: '14', SWEEP_INTERVAL_SECONDS: '1' } });

const OLD = { 'index.html': '<p>old', 'old.css': 'old' };
const NEW = { 'index.html': '<p>new', 'new/page.html': '<p>page' };

const expectNew = async (site: PublishedSite): Promise<void> => {
  for (const client of perch.clients) {
    for (const [path, content] of Object.entries(NEW))
      expect(await (await readSite(client, site, path)).text()).toBe(content);
    await expectError(await readSite(client, site, 'old.css'), 404, 'NOT_FOUND');
  }
};
const expectOld = async (site: PublishedSite): Promise<void> => {
  for (const client of perch.clients)
    for (const [path, content] of Object.entries(OLD))
      expect(await (await readSite(client, site, path)).text()).toBe(content);
};

/** A body of which the second half comes when it is told to. */
function slowBody(bytes: Uint8Array): { body: ReadableStream<Uint8Array>; end(): void } {
  const half = Math.floor(bytes.length / 2);
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const { promise, resolve } = Promise.withResolvers<void>();
  const write = async (): Promise<void> => {
    await writer.write(bytes.subarray(0, half));
    await promise;
    await writer.write(bytes.subarray(half));
    await writer.close();
  };
  void write();
  return { body: readable, end: resolve };
}

describe('a replacement', () => {
  test('is the whole site: old files are gone, the addresses stay', async () => {
    const site = await publishSite(perch, OLD, { query: { tags: 'kept', title: 'Kept', ttl: 3 } });
    for (const client of perch.clients) await (await readSite(client, site, 'old.css')).text();
    const response = await replaceSite(perch, site, archiveOf(NEW));
    const replaced = await jsonOf<PublishedSite & { updatedAt: string }>(response);
    const { url, shortUrl, namespace, id, createdAt, expiresAt } = site;
    expect(replaced).toMatchObject({
      namespace,
      id,
      url,
      shortUrl,
      createdAt,
      expiresAt,
      entryFile: 'index.html',
      fileCount: 2,
      totalSizeBytes: 13,
    });
    expect(Date.parse(replaced.updatedAt)).toBeGreaterThan(Date.parse(createdAt));
    expect(Object.keys(replaced)).not.toContain('ownerToken');
    await expectNew(site);
    const record = await recordOf(perch, site);
    expect(record).toMatchObject({
      title: 'Kept',
      tags: ['kept'],
      createdAt,
      expiresAt,
      updatedAt: replaced.updatedAt,
      shortUrl,
      files: [{ path: 'index.html' }, { path: 'new/page.html' }],
    });
    const short = await perch.request(new URL(shortUrl).pathname);
    expect(short.headers.get('Location')).toBe(`${perch.url}${shortPath(site)}`);
  });

  test('may come in every way that a site does', async () => {
    const put = (site: PublishedSite, options: object) =>
      perch.request(siteApiPath(site), { method: 'PUT', ...options });
    const parts = {
      archive: [{ name: 'archive', filename: 'a.zip', content: archiveOf(NEW) }],
      files: Object.entries(NEW).map(([filename, content]) => ({ name: 'files', filename, content })),
    };
    for (const way of ['archive', 'files'] as const) {
      const site = await publishSite(perch, OLD);
      expect((await put(site, form(parts[way], ownedBy(site)))).status).toBe(200);
      await expectNew(site);
    }
  });

  test('takes other tags, another title and another life, in the query and in the form', async () => {
    const site = await publishSite(perch, OLD, { query: { tags: 'old', title: 'Old', ttl: 3 } });
    const inQuery = { query: { tags: 'One,two', ttl_days: '20 days', title: 'New' } };
    const parts = [
      { name: 'archive', filename: 'a.zip', content: archiveOf(NEW) },
      { name: 'tags', content: 'three' },
      { name: 'ttl', content: '1d' },
    ];
    const changes: Array<[send: () => Promise<Response>, tags: string[], days: number]> = [
      [() => replaceSite(perch, site, archiveOf(NEW), inQuery), ['one', 'two'], 20],
      [
        () => perch.request(siteApiPath(site), { method: 'PUT', ...form(parts, ownedBy(site)) }),
        ['three'],
        1,
      ],
    ];
    for (const [send, tags, ttlDays] of changes) {
      const replaced = await jsonOf<PublishedSite & { updatedAt: string }>(await send());
      expect(replaced).toMatchObject({
        tags,
        ttlDays,
        title: 'New',
        result: { code: 'success', action: 'updated' },
      });
      // Counted from the change on, whose moment is read from the clock once more when it is written.
      const lifeMs = Date.parse(replaced.expiresAt) - Date.parse(replaced.updatedAt);
      expect(Math.abs(lifeMs - ttlDays * 86_400_000)).toBeLessThan(10_000);
      const record = await recordOf(perch.last, site);
      expect(record).toMatchObject({ tags, title: 'New', expiresAt: replaced.expiresAt });
    }
    const gallery = await perch.last.request('/api/gallery', { query: { tag: 'three', kind: 'site' } });
    expect((await jsonOf<{ items: unknown[] }>(gallery)).items).toMatchObject([{ id: site.id }]);
  });

  test('with a wrong life, wrong tags or a wrong title leaves the old site', async () => {
    const site = await publishSite(perch, OLD, { query: { tags: 'old', ttl: 3 } });
    const wrong: Array<[query: Record<string, string>, code: string, field: string]> = [
      ...['0', '31', 'soon', '1.5'].map((ttl): [Record<string, string>, string, string] => [
        { ttl },
        'TTL_INVALID',
        'ttl',
      ]),
      [{ tags: 'x'.repeat(51) }, 'VALIDATION_FAILED', 'tags'],
      [{ title: 'x'.repeat(201) }, 'VALIDATION_FAILED', 'title'],
    ];
    for (const [query, code, field] of wrong)
      await expectError(await replaceSite(perch, site, archiveOf(NEW), { query }), 400, code, field);
    const fields = [
      { name: 'archive', filename: 'a.zip', content: archiveOf(NEW) },
      { name: 'ttl', content: '99' },
    ];
    const inForm = await perch.request(siteApiPath(site), { method: 'PUT', ...form(fields, ownedBy(site)) });
    await expectError(inForm, 400, 'TTL_INVALID', 'ttl');
    await expectOld(site);
    expect(await recordOf(perch, site)).toMatchObject({ tags: ['old'], expiresAt: site.expiresAt });
  });

  test('names the site by the title of its new entry page, unless the owner has named it', async () => {
    const titled = (title: string) => archiveOf({ 'index.html': `<title>${title}</title>` });
    const given = await publishSite(perch, OLD, { query: { title: 'Given' } });
    const found = await publishSite(perch, { 'index.html': '<title>First</title>' });
    const none = await publishSite(perch, OLD);
    expect([given, found, none].map(({ title }) => title)).toEqual(['Given', 'First', 'index.html']);
    const titleAfter = async (site: PublishedSite) =>
      (await jsonOf<PublishedSite>(await replaceSite(perch, site, titled('Second')))).title;
    expect(await Promise.all([given, found, none].map(titleAfter))).toEqual(['Given', 'Second', 'Second']);
  });

  test('may begin with another file', async () => {
    const site = await publishSite(perch, OLD);
    const archive = archiveOf({ 'a.html': '<p>a', 'b.html': '<p>b' });
    const response = await replaceSite(perch, site, archive, { query: { entry: 'b.html' } });
    expect((await jsonOf<PublishedSite>(response)).entryFile).toBe('b.html');
    expect(await (await readSite(perch, site, '')).text()).toBe('<p>b');
  });

  test('begins with the file that its owner had named, while there is one of that path, and else by itself', async () => {
    const site = await publishSite(perch, { 'a.html': 'a', 'b.html': 'b' }, { query: { entry: 'b.html' } });
    const entryAfter = async (files: SiteFiles, options = {}) =>
      (await jsonOf<PublishedSite>(await replaceSite(perch, site, archiveOf(files), options))).entryFile;
    expect(await entryAfter({ 'a.html': 'a', 'b.html': 'b', 'c.html': 'c' })).toBe('b.html');
    expect(await entryAfter({ 'index.html': 'i', 'b.html': 'b' })).toBe('b.html');
    expect(await entryAfter({ 'index.html': 'i', 'b.html': 'b' }, { query: { entry: 'index.html' } })).toBe(
      'index.html',
    );
    expect(await entryAfter({ 'index.html': 'i', 'b.html': 'b' })).toBe('index.html');
    // One that was only found by itself does not stay.
    expect(await entryAfter({ 'b.html': 'b' })).toBe('b.html');
    expect(await entryAfter({ 'index.html': 'i', 'b.html': 'b' })).toBe('index.html');
    const several = archiveOf({ 'c.html': 'c', 'd.html': 'd' });
    await expectError(await replaceSite(perch, site, several), 400, 'VALIDATION_FAILED', 'entry');
  });

  test('begins as another replacement said that came while its files were on their way', async () => {
    const files = { 'index.html': '<title>Index</title>', 'b.html': '<title>B</title>' };
    const archive = archiveOf(files);
    for (const [first, meanwhile] of [
      ['index.html', 'b.html'],
      ['b.html', 'index.html'],
    ] as const) {
      const site = await publishSite(perch, files, { query: { entry: first } });
      const before = await uploadedFiles(perch.instance);
      const slow = slowBody(archive);
      const answer = replaceSite(perch, site, slow.body);
      await eventually(async () => (await uploadedFiles(perch.instance)).length > before.length);
      expect((await replaceSite(perch, site, archive, { query: { entry: meanwhile } })).status).toBe(200);
      slow.end();
      const title = meanwhile === 'b.html' ? 'B' : 'Index';
      expect(await jsonOf(await answer)).toMatchObject({ entryFile: meanwhile, title });
      expect(await (await readSite(perch, site, '')).text()).toBe(files[meanwhile]);
    }
  });

  test('changes the ETag of what has changed, and keeps the views', async () => {
    const site = await publishSite(perch, OLD);
    const etag = (await readSite(perch, site, 'index.html')).headers.get('ETag') ?? '';
    await replaceSite(perch, site, archiveOf(NEW));
    const response = await readSite(perch.last, site, 'index.html', { headers: { 'If-None-Match': etag } });
    expect([response.status, await response.text()]).toEqual([200, '<p>new']);
    expect(await viewsOf(perch, site)).toBe(2);
  });

  test('keeps the password', async () => {
    const open = { headers: { 'X-Password': 'right' } };
    const site = await publishSite(perch, OLD, open);
    expect((await replaceSite(perch, site, archiveOf(NEW))).status).toBe(200);
    await expectError(await readSite(perch, site, ''), 403, 'PASSWORD_REQUIRED');
    expect(await (await readSite(perch, site, '', open)).text()).toBe('<p>new');
  });
});

describe('a refused replacement leaves the site as it was', () => {
  test('by whoever is not its owner', async () => {
    const site = await publishSite(perch, OLD);
    const put = (headers: Record<string, string>) =>
      perch.request(siteApiPath(site), {
        method: 'PUT',
        ...raw(archiveOf(NEW), 'application/zip', { headers }),
      });
    await expectError(await put({}), 403, 'OWNER_TOKEN_REQUIRED');
    await expectError(await put({ 'X-Owner-Token': 'somebody else entirely' }), 403, 'OWNER_TOKEN_WRONG');
    await expectOld(site);
    const missing = { ...site, id: 'never-was' };
    await expectError(await replaceSite(perch, missing, archiveOf(NEW)), 404, 'NOT_FOUND');
  });

  test('of what is no site', async () => {
    const site = await publishSite(perch, OLD);
    const before = await recordOf(perch, site);
    const bad = [
      new Uint8Array(),
      archiveOf(NEW).subarray(0, -10),
      archiveOf({ 'a.txt': 'no page' }),
      archiveOf({ 'index.html': 'x', '../a.txt': 'x' }),
      new TextEncoder().encode('no archive'),
    ];
    for (const archive of bad)
      await expectError(await replaceSite(perch, site, archive), 400, 'VALIDATION_FAILED');
    const large = archiveOf({ 'index.html': 'x', 'a.bin': new Uint8Array(5 * 1_048_576 + 1) });
    await expectError(await replaceSite(perch, site, large), 400, 'TOO_LARGE');
    const typed = raw(archiveOf(NEW), 'text/plain', ownedBy(site));
    const untypical = await perch.request(siteApiPath(site), { method: 'PUT', ...typed });
    await expectError(untypical, 415, 'UNSUPPORTED_MEDIA_TYPE');
    await expectOld(site);
    const { views: _before, ...kept } = before;
    expect(await recordOf(perch, site)).toMatchObject(kept);
  });
});

test('replaced, refused and removed sites leave nothing in the store', async () => {
  const site = await publishSite(perch, OLD);
  for (let n = 0; n < 5; n++) await replaceSite(perch, site, archiveOf({ ...NEW, [`${n}.txt`]: 'x' }));
  await replaceSite(perch, site, new Uint8Array(100));
  const removed = await publishSite(perch, OLD);
  await perch.request(siteApiPath(removed), { method: 'DELETE', ...ownedBy(removed) });
  await eventually(async () => {
    const { orphans, missing } = await auditBlobs(perch.instance);
    return orphans.length + missing.length === 0;
  });
  expect((await readSite(perch.last, site, '4.txt')).status).toBe(200);
});

test('replacements and a removal at once end in one or the other', async () => {
  const site = await publishSite(perch, OLD, { query: { ns: 'contested-changes' } });
  const answers = await atOnce(9, (n) =>
    n === 4
      ? perch.last.request(siteApiPath(site), { method: 'DELETE', ...ownedBy(site) })
      : replaceSite(n % 2 === 0 ? perch : perch.last, site, archiveOf(NEW)),
  );
  const statuses = tally(answers.map(({ status }) => status));
  expect(statuses['204']).toBe(1);
  expect((statuses['200'] ?? 0) + (statuses['404'] ?? 0)).toBe(8);
  await expectError(await readSite(perch, site, ''), 404, 'NOT_FOUND');
});
