import { describe, expect, test } from 'bun:test';
import { jsonOf } from './support/client.ts';
import { atOnce, tally } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import type { FormPart } from './support/multipart.ts';
import { usePerch } from './support/perch.ts';
import {
  archiveOf,
  type PublishedSite,
  postArchive,
  postSiteForm,
  publishSite,
  readSite,
  replaceSite,
  type SiteFiles,
} from './support/site-client.ts';

const LIMIT = 2 * 1_048_576;

const perch = usePerch({ env: { SITE_MAX_BYTES: String(LIMIT) } });

/** Files of so many bytes together. */
const ofSize = (total: number): SiteFiles => ({
  'index.html': '<p>x',
  'a.bin': new Uint8Array(LIMIT / 2).fill(0x61),
  'b.bin': new Uint8Array(total - LIMIT / 2 - 4).fill(0x62),
});
const partsOf = (files: SiteFiles): FormPart[] =>
  Object.entries(files).map(([filename, content]) => ({ name: 'files', filename, content }));

describe('the size of a whole site', () => {
  for (const [name, post] of [
    ['as a ZIP', (files: SiteFiles) => postArchive(perch, archiveOf(files))],
    ['as a folder', (files: SiteFiles) => postSiteForm(perch, partsOf(files))],
  ] as const) {
    test(`may be SITE_MAX_BYTES and a byte less: ${name}`, async () => {
      for (const size of [LIMIT - 1, LIMIT]) {
        const site = await jsonOf<PublishedSite>(await post(ofSize(size)), 201);
        expect(site.totalSizeBytes).toBe(size);
        const last = await (await readSite(perch, site, 'b.bin')).bytes();
        expect(last.length).toBe(size - LIMIT / 2 - 4);
      }
    });

    test(`may not be a byte more: ${name}`, async () => {
      await expectError(await post(ofSize(LIMIT + 1)), 400, 'TOO_LARGE');
    });
  }

  test('does not count what is left out', async () => {
    const files = { ...ofSize(LIMIT), '.git/pack': new Uint8Array(100_000) };
    for (const response of [
      await postArchive(perch, archiveOf(files)),
      await postSiteForm(perch, partsOf(files)),
    ])
      expect((await jsonOf<PublishedSite>(response, 201)).totalSizeBytes).toBe(LIMIT);
  });

  test('is the limit of a replacement, too, which then changes nothing', async () => {
    const site = await publishSite(perch, { 'index.html': '<p>small' });
    await expectError(await replaceSite(perch, site, archiveOf(ofSize(LIMIT + 1))), 400, 'TOO_LARGE');
    expect(await (await readSite(perch, site, '')).text()).toBe('<p>small');
    expect((await replaceSite(perch, site, archiveOf(ofSize(LIMIT)))).status).toBe(200);
    expect(await (await readSite(perch, site, '')).text()).toBe('<p>x');
  });

  test('that is declared far too large is refused', async () => {
    const body = new Uint8Array(40 * 1_048_576);
    await expectError(await postArchive(perch, body), 400, 'TOO_LARGE');
    expect((await publishSite(perch, { 'index.html': 'x' })).fileCount).toBe(1);
  });
});

test('many sites of the largest size at once are each taken, or told to come back', async () => {
  const archive = archiveOf(ofSize(LIMIT));
  const statuses = await atOnce(12, async () => {
    const response = await postArchive(perch, archive);
    if (response.status === 503) {
      expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0);
      await expectError(response, 503, 'UNAVAILABLE');
    } else await jsonOf<PublishedSite>(response, 201);
    return response.status;
  });
  expect(tally(statuses)['201'] ?? 0).toBeGreaterThan(0);
  expect((await publishSite(perch, { 'index.html': 'x' })).fileCount).toBe(1);
});
