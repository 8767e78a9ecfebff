import { describe, expect, test } from 'bun:test';
import { strFromU8, unzipSync } from 'fflate';
import { jsonOf, ownedBy, type Published } from './support/client.ts';
import { expectError } from './support/errors.ts';
import { sharePerch } from './support/perch.ts';
import { measureGateway } from './support/process-memory.ts';
import {
  archiveOf,
  type PublishedSite,
  postArchive,
  publishSite,
  recordOf,
  replaceSite,
  type SiteFiles,
  siteApiPath,
} from './support/site-client.ts';

const perch = sharePerch();
const MB = 1_048_576;

const archivePath = (site: Pick<Published, 'namespace' | 'id'>) => `${siteApiPath(site)}/archive`;

async function filesIn(response: Response): Promise<Record<string, string>> {
  expect(response.status).toBe(200);
  const files = unzipSync(await response.bytes());
  return Object.fromEntries(Object.entries(files).map(([path, bytes]) => [path, strFromU8(bytes)]));
}

describe('the archive of a site', () => {
  test('has all its files, and makes the same site again', async () => {
    const files = { 'index.html': '<h1>Launch</h1>', 'css/größe.css': 'h1 { color: teal }', 'empty.txt': '' };
    const site = await publishSite(perch, files);
    const response = await perch.request(archivePath(site));
    expect(response.headers.get('Content-Type')).toBe('application/zip');
    expect(response.headers.get('Content-Disposition')).toContain(`${site.id}.zip`);
    expect(response.headers.get('X-Views')).toBeNull();
    const archive = await response.bytes();
    expect(await filesIn(new Response(archive))).toEqual(files);
    const again = (await (await postArchive(perch, archive)).json()) as Published;
    expect(await filesIn(await perch.last.request(archivePath(again)))).toEqual(files);
  });

  test('makes the same site again, as a replacement and as a site of its own, whatever folders its files are in', async () => {
    const SITES: SiteFiles[] = [
      { 'top/dist/index.html': '<p>built', 'top/dist/app.js': '1' },
      { 'top/a/b/only.html': '<p>deep' },
      { 'top/site/index.html': '<p>a folder of that name' },
      { 'top/index.html': '<p>beside', 'top/__MACOSX/kept.txt': 'kept', 'top/c:/drive.txt': 'kept' },
      { [`t/${'d/'.repeat(244)}index.html`]: '<p>no room for a longer name' },
    ];
    for (const files of SITES) {
      const site = await publishSite(perch, files);
      const before = await recordOf(perch, site);
      expect(before.files.map(({ path }) => path)).toEqual(
        Object.keys(files)
          .map((path) => path.slice(path.indexOf('/') + 1))
          .toSorted(),
      );
      const archive = await (await perch.request(archivePath(site))).bytes();
      const head = await perch.request(archivePath(site), { method: 'HEAD' });
      expect(head.headers.get('Content-Length')).toBe(String(archive.length));
      await jsonOf(await replaceSite(perch, site, archive), 200);
      const again = await jsonOf<PublishedSite>(await postArchive(perch, archive), 201);
      for (const one of [site, again]) {
        const after = await recordOf(perch, one);
        expect([after.files, after.entryFile]).toEqual([before.files, before.entryFile]);
      }
    }
  });

  test('makes a site that begins with the file that had been named', async () => {
    const SITES: SiteFiles[] = [
      { 'start.html': '<p>start', 'other.html': '<p>other' },
      { 'start.html': '<p>start', 'index.html': '<p>index' },
      { 'dist/start.html': '<p>start', 'dist/index.html': '<p>index' },
      { 'start.txt': 'start', 'only.html': '<p>only' },
    ];
    for (const files of SITES) {
      const entry = Object.keys(files)[0]?.replace('dist/', '') ?? '';
      const site = await publishSite(perch, files, { query: { entry } });
      const archive = await (await perch.request(archivePath(site))).bytes();
      const replaced = await jsonOf<PublishedSite>(await replaceSite(perch, site, archive), 200);
      expect(replaced.entryFile).toBe(entry);
      const again = await postArchive(perch, archive, { query: { entry: site.entryFile } });
      expect((await jsonOf<PublishedSite>(again, 201)).entryFile).toBe(entry);
    }
    const archive = archiveOf(SITES[0] ?? {});
    await expectError(await postArchive(perch, archive), 400, 'VALIDATION_FAILED', 'entry');
  });

  test('is the one of the files there are now, by its ETag', async () => {
    const site = await publishSite(perch, { 'index.html': 'old', 'gone.txt': 'gone' });
    const first = await perch.request(archivePath(site));
    const etag = first.headers.get('ETag') ?? '';
    await first.body?.cancel();
    const unchanged = { headers: { 'If-None-Match': etag } };
    expect((await perch.request(archivePath(site), unchanged)).status).toBe(304);
    await replaceSite(perch, site, archiveOf({ 'index.html': 'new' }));
    expect(await filesIn(await perch.request(archivePath(site), unchanged))).toEqual({ 'index.html': 'new' });
  });

  test('tells its length to a HEAD', async () => {
    const site = await publishSite(perch, { 'index.html': '<p>one', 'a/b.txt': 'two' });
    const head = await perch.request(archivePath(site), { method: 'HEAD' });
    const whole = await (await perch.request(archivePath(site))).bytes();
    expect(head.headers.get('Content-Length')).toBe(String(whole.length));
  });

  test('has the rules of the site: its password, its owner, its end', async () => {
    const site = await publishSite(
      perch,
      { 'index.html': 'secret' },
      { headers: { 'X-Password': 'correct horse' } },
    );
    await expectError(await perch.request(archivePath(site)), 403, 'PASSWORD_REQUIRED');
    const wrong = { headers: { 'X-Password': 'wrong' } };
    await expectError(await perch.request(archivePath(site), wrong), 403, 'PASSWORD_WRONG');
    for (const options of [{ headers: { 'X-Password': 'correct horse' } }, ownedBy(site)]) {
      const response = await perch.request(archivePath(site), options);
      expect(response.headers.get('Cache-Control')).toBe('private, no-store');
      expect(await filesIn(response)).toEqual({ 'index.html': 'secret' });
    }
    await perch.request(siteApiPath(site), { method: 'DELETE', ...ownedBy(site) });
    expect([404, 410]).toContain((await perch.request(archivePath(site))).status);
    const page = await perch.publish('<p>no site');
    await expectError(await perch.request(archivePath(page)), 404, 'NOT_FOUND');
  });

  test('streams a large site in little memory, to readers that stop and that go away', async () => {
    const chunk = new Uint8Array(5 * MB).fill(65);
    const files: SiteFiles = { 'index.html': '<p>large' };
    for (let n = 0; n < 24; n++) files[`films/${n}.txt`] = chunk;
    const site = await publishSite(perch, files);
    const memory = await measureGateway(perch.instance);
    const readers = await Promise.all(
      [1, 2, 3, 4].map(async () => (await perch.request(archivePath(site))).body?.getReader()),
    );
    const begun = await Promise.all(
      readers.map(async (reader) => (await reader?.read())?.value?.length ?? 0),
    );
    await readers[0]?.cancel();
    await readers[1]?.cancel();
    const rest = await Promise.all(readers.map((reader, n) => (n < 2 ? 0 : lengthOf(reader))));
    const head = await perch.request(archivePath(site), { method: 'HEAD' });
    for (const n of [2, 3])
      expect((rest[n] ?? 0) + (begun[n] ?? 0)).toBe(Number(head.headers.get('Content-Length')));
    // Half of four archives of 120 MB: the buffers of sockets and of the store, and garbage not yet collected.
    expect(await memory.peakGrowth()).toBeLessThan(240 * MB);
  }, 180_000);
});

/** Bytes that a reader takes from here to the end. */
async function lengthOf(
  reader: { read(): Promise<{ done: boolean; value?: Uint8Array | undefined }> } | undefined,
): Promise<number> {
  let bytes = 0;
  for (let next = await reader?.read(); next !== undefined && !next.done; next = await reader?.read())
    bytes += next.value?.length ?? 0;
  return bytes;
}
