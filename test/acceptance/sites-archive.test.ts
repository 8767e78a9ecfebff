import { describe, expect, test } from 'bun:test';
import { strFromU8, unzipSync } from 'fflate';
import { ownedBy, type Published } from './support/client.ts';
import { expectError } from './support/errors.ts';
import { sharePerch } from './support/perch.ts';
import { measureGateway } from './support/process-memory.ts';
import {
  archiveOf,
  postArchive,
  publishSite,
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
