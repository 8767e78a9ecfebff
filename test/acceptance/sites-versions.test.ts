import { expect, test } from 'bun:test';
import { jsonOf } from './support/client.ts';
import { atOnce } from './support/concurrency.ts';
import { sharePerch } from './support/perch.ts';
import {
  archiveOf,
  type PublishedSite,
  publishSite,
  readSite,
  recordOf,
  replaceSite,
} from './support/site-client.ts';

const perch = sharePerch();

const PUTS = 20;
const PATHS = ['index.html', 'a/page.txt', 'b/large.txt'];

/** Every file says of which version it is, from its first byte to its last; versions differ in length, too. */
const contentOf = (path: string, version: number): string => {
  const line = `${path} of version ${version}\n`;
  return line.repeat(path.startsWith('b/') ? 20_000 + version * 10 : 3);
};
const siteOf = (version: number): Record<string, string> => ({
  ...Object.fromEntries(PATHS.map((path) => [path, contentOf(path, version)])),
  [`only-in-${version}.txt`]: 'x',
});

/** The version that a text is of, when it is whole. */
function versionOf(path: string, text: string): number {
  const version = Number(/of version (\d+)\n$/.exec(text)?.[1] ?? Number.NaN);
  expect(Bun.hash(text)).toBe(Bun.hash(contentOf(path, version)));
  return version;
}

test('readers see one whole version at a time while 20 replacements cross each other', async () => {
  const site = await publishSite(perch, siteOf(0));
  let running = true;
  let reads = 0;
  const tags = new Map<string, string>();

  const readFiles = async (n: number): Promise<void> => {
    const client = n % 2 === 0 ? perch : perch.last;
    while (running) {
      const path = PATHS[reads % PATHS.length] ?? '';
      const response = await readSite(client, site, path);
      expect(response.status).toBe(200);
      const version = versionOf(path, await response.text());
      // One tag is one content, whoever asks and whenever.
      const tag = `${path} ${response.headers.get('ETag')}`;
      expect(tags.get(tag) ?? `${version}`).toBe(`${version}`);
      tags.set(tag, `${version}`);
      reads += 1;
    }
  };
  const readRecord = async (): Promise<void> => {
    while (running) {
      const { files, fileCount, totalSizeBytes } = await recordOf(perch.last, site);
      expect(fileCount).toBe(files.length);
      expect(files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)).toBe(totalSizeBytes);
      const own = files.find(({ path }) => path.startsWith('only-in-'))?.path ?? '';
      const version = Number(/\d+/.exec(own)?.[0]);
      for (const { path, sizeBytes } of files)
        if (path !== own) expect([path, sizeBytes]).toEqual([path, contentOf(path, version).length]);
    }
  };

  const readers = [...Array.from({ length: 4 }, (_, n) => readFiles(n)), readRecord()];
  const answers = await atOnce(PUTS, async (n) =>
    replaceSite(n % 2 === 0 ? perch : perch.last, site, archiveOf(siteOf(n + 1))),
  ).finally(() => {
    running = false;
  });
  await Promise.all(readers);
  expect(reads).toBeGreaterThan(0);
  for (const answer of answers)
    expect(await jsonOf<PublishedSite>(answer)).toMatchObject({ id: site.id, fileCount: 4 });

  const { files, updatedAt } = await recordOf(perch, site);
  const last = Number(/\d+/.exec(files.find(({ path }) => path.startsWith('only-in-'))?.path ?? '')?.[0]);
  expect(last).toBeGreaterThan(0);
  for (const client of perch.clients) {
    for (const path of PATHS)
      expect(versionOf(path, await (await readSite(client, site, path)).text())).toBe(last);
    for (let version = 0; version <= PUTS; version++) {
      const { status } = await readSite(client, site, `only-in-${version}.txt`);
      expect([version, status]).toEqual([version, version === last ? 200 : 404]);
    }
    expect((await recordOf(client, site)).updatedAt).toBe(updatedAt);
  }
}, 180_000);

test('replacements one after the other are each seen at once by every gateway', async () => {
  const site = await publishSite(perch, siteOf(0));
  for (let version = 1; version <= 10; version++) {
    expect((await replaceSite(perch, site, archiveOf(siteOf(version)))).status).toBe(200);
    for (const client of perch.clients)
      for (const path of PATHS)
        expect(versionOf(path, await (await readSite(client, site, path)).text())).toBe(version);
  }
}, 180_000);
