import { describe, expect, test } from 'bun:test';
import { jsonOf } from './support/client.ts';
import { atOnce } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import type { FormPart } from './support/multipart.ts';
import { sharePerch } from './support/perch.ts';
import {
  archiveOf,
  type PublishedSite,
  postArchive,
  postSiteForm,
  readSite,
  recordOf,
  type SiteFiles,
} from './support/site-client.ts';

const perch = sharePerch();

/** Specification 8.2. */
const FILE_COUNT = 1_000;
const FILE_BYTES = 5 * 1_048_576;

const many = (count: number): SiteFiles =>
  Object.fromEntries(
    Array.from({ length: count }, (_, n) => [
      n === 0 ? 'index.html' : `folder-${n % 7}/${n}.txt`,
      `file ${n}`,
    ]),
  );
const partsOf = (files: SiteFiles): FormPart[] =>
  Object.entries(files).map(([filename, content]) => ({ name: 'files', filename, content }));

describe('the number of files', () => {
  test('may be 1,000, as a ZIP and as a folder', async () => {
    for (const response of [
      await postArchive(perch, archiveOf(many(FILE_COUNT))),
      await postSiteForm(perch, partsOf(many(FILE_COUNT))),
    ]) {
      const site = await jsonOf<PublishedSite>(response, 201);
      expect(site.fileCount).toBe(FILE_COUNT);
      expect((await recordOf(perch, site)).files).toHaveLength(FILE_COUNT);
      for (const n of [1, 500, 999])
        expect(await (await readSite(perch, site, `folder-${n % 7}/${n}.txt`)).text()).toBe(`file ${n}`);
    }
  });

  test('may not be 1,001, as a ZIP and as a folder', async () => {
    for (const response of [
      await postArchive(perch, archiveOf(many(FILE_COUNT + 1))),
      await postSiteForm(perch, partsOf(many(FILE_COUNT + 1))),
    ])
      await expectError(response, 400, 'VALIDATION_FAILED');
  });

  test('with paths beside the files may be 1,000 as well', async () => {
    const files = many(FILE_COUNT);
    const paths = Object.keys(files).map((path) => ({ name: 'paths', content: path }));
    const loose = partsOf(files).map((part) => ({ ...part, filename: 'blob' }));
    expect((await postSiteForm(perch, [...paths, ...loose])).status).toBe(201);
  });

  test('does not count what is left out', async () => {
    const clutter = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`.git/${n}`, 'x']));
    const files = { ...many(FILE_COUNT), ...clutter };
    for (const response of [
      await postArchive(perch, archiveOf(files)),
      await postSiteForm(perch, partsOf(files)),
    ])
      expect((await jsonOf<PublishedSite>(response, 201)).fileCount).toBe(FILE_COUNT);
  });
});

describe('the number of parts of a form', () => {
  const PARTS_COUNT = 2 * FILE_COUNT;
  const clutter = (count: number): SiteFiles =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`.git/objects/${n}`, 'x']));

  test('does not count what is left out, by the names of the files or by their paths', async () => {
    const files = { ...clutter(PARTS_COUNT), ...many(FILE_COUNT) };
    const paths = Object.keys(files).map((path) => ({ name: 'paths', content: path }));
    const loose = partsOf(files).map((part) => ({ ...part, filename: 'blob' }));
    // A path before its file, as a browser sends them.
    const inTurns = loose.flatMap((file, n) => [...paths.slice(n, n + 1), file]);
    for (const parts of [partsOf(files), inTurns]) {
      const site = await jsonOf<PublishedSite>(await postSiteForm(perch, parts), 201);
      expect(site.fileCount).toBe(FILE_COUNT);
    }
  });

  test('tells what to do about too many', async () => {
    const error = await expectError(
      await postSiteForm(perch, partsOf(many(PARTS_COUNT + 1))),
      400,
      'VALIDATION_FAILED',
      'files',
    );
    expect(error.message).toContain('a site has at most 1000. Leave out folders');
  });
});

describe('the size of a file', () => {
  const withFile = (size: number, fill = 0x61): SiteFiles => ({
    'index.html': '<p>x',
    'large.bin': new Uint8Array(size).fill(fill),
  });

  test('may be 5 MB and a byte less, as a ZIP and as a folder', async () => {
    for (const size of [FILE_BYTES - 1, FILE_BYTES])
      for (const response of [
        await postArchive(perch, archiveOf(withFile(size))),
        await postSiteForm(perch, partsOf(withFile(size))),
      ]) {
        const site = await jsonOf<PublishedSite>(response, 201);
        expect(site.totalSizeBytes).toBe(size + 4);
        expect((await (await readSite(perch, site, 'large.bin')).bytes()).length).toBe(size);
      }
  });

  test('may not be a byte more, as a ZIP and as a folder', async () => {
    for (const response of [
      await postArchive(perch, archiveOf(withFile(FILE_BYTES + 1))),
      await postSiteForm(perch, partsOf(withFile(FILE_BYTES + 1))),
    ])
      await expectError(response, 400, 'TOO_LARGE');
  });

  test('does not count of what its path leaves out, before the files or behind them', async () => {
    const files = { 'index.html': '<p>x', '.git/objects/pack-1': new Uint8Array(FILE_BYTES + 1) };
    const paths = Object.keys(files).map((path) => ({ name: 'paths', content: path }));
    const loose = partsOf(files).map((part) => ({
      ...part,
      filename: part.filename?.split('/').at(-1) ?? '',
    }));
    for (const parts of [
      [...paths, ...loose],
      [...loose, ...paths],
    ])
      expect((await postSiteForm(perch, parts)).status).toBe(201);
  });

  test('is the same for each of several at once', async () => {
    await atOnce(4, async (n) => {
      const response = await postArchive(perch, archiveOf(withFile(FILE_BYTES, n)));
      const site = await jsonOf<PublishedSite>(response, 201);
      const bytes = await (await readSite(perch, site, 'large.bin')).bytes();
      expect(Bun.hash(bytes)).toBe(Bun.hash(new Uint8Array(FILE_BYTES).fill(n)));
    });
  });
});

test('a path may have 500 characters and not 501', async () => {
  for (const character of ['x', 'ü', '🐦']) {
    const path = `${character.repeat(496)}.txt`;
    const site = await jsonOf<PublishedSite>(
      await postArchive(perch, archiveOf({ 'index.html': 'x', [path]: 'long' })),
      201,
    );
    expect(await (await readSite(perch, site, encodeURIComponent(path))).text()).toBe('long');
    const longer = archiveOf({ 'index.html': 'x', [`x${path}`]: 'x' });
    await expectError(await postArchive(perch, longer), 400, 'VALIDATION_FAILED');
  }
});
