import { describe, expect, test } from 'bun:test';
import { jsonOf } from './support/client.ts';
import { atOnce } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { type FormPart, fieldsOf } from './support/multipart.ts';
import { sharePerch } from './support/perch.ts';
import { type PublishedSite, postSiteForm, readSite, recordOf } from './support/site-client.ts';

const perch = sharePerch();

const FILES: Record<string, string> = {
  'index.html': '<p>Hello.',
  'css/site.css': 'p {}',
  'img/deep/größe 🐦.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'b.txt': 'b',
};
const filesOf = (files: Record<string, string>, named: (path: string) => string): FormPart[] =>
  Object.entries(files).map(([path, content]) => ({ name: 'files', filename: named(path), content }));
const pathsOf = (files: Record<string, string>): FormPart[] =>
  Object.keys(files).map((path) => ({ name: 'paths', content: path }));

const baseName = (path: string): string => path.split('/').at(-1) ?? '';
const loose = filesOf(FILES, baseName);
const paths = pathsOf(FILES);

async function expectSite(parts: FormPart[], files = FILES): Promise<PublishedSite> {
  const site = await jsonOf<PublishedSite>(await postSiteForm(perch, parts), 201);
  const record = await recordOf(perch, site);
  expect(record.files.map(({ path }) => path)).toEqual(Object.keys(files).toSorted());
  for (const [path, content] of Object.entries(files)) {
    const encoded = path.split('/').map(encodeURIComponent).join('/');
    expect(await (await readSite(perch, site, encoded)).text()).toBe(content);
  }
  return site;
}

describe('files with paths', () => {
  const ORDERS: Record<string, FormPart[]> = {
    'paths after the files': [...loose, ...paths],
    'paths before the files': [...paths, ...loose],
    'each path after its file': loose.flatMap((file, n) => [file, ...paths.slice(n, n + 1)]),
    'each path before its file': loose.flatMap((file, n) => [...paths.slice(n, n + 1), file]),
    'other fields between them': [
      ...fieldsOf({ title: 'Mixed' }),
      ...loose,
      ...fieldsOf({ tags: 'a' }),
      ...paths,
      ...fieldsOf({ ttl: '3' }),
    ],
    'names that do not say their folders': [...filesOf(FILES, () => 'blob'), ...paths],
  };
  test.each(Object.keys(ORDERS))('become a site: %s', async (order) => {
    await expectSite(ORDERS[order] ?? []);
  });

  test('of another number are refused', async () => {
    for (const parts of [
      [...loose, ...paths.slice(1)],
      [...loose.slice(1), ...paths],
      [...loose, ...paths, ...paths.slice(0, 1)],
      [...loose, ...paths.slice(0, 1)],
      paths,
    ])
      await expectError(await postSiteForm(perch, parts), 400, 'VALIDATION_FAILED');
  });

  test('that no site may have are refused', async () => {
    const bad = [
      '../x',
      '/x',
      'a/../x',
      'C:/x',
      'a\\b',
      'a\0b',
      '',
      'a//b',
      './.',
      'index.html',
      'INDEX.html',
      `~1234567890.${'a'.repeat(43)}/x`,
    ];
    for (const path of [...bad, 'x'.repeat(501)]) {
      const files = [...filesOf({ 'index.html': '<p>', b: 'b' }, baseName)];
      const parts = [
        ...files,
        ...[{ content: 'index.html' }, { content: path }].map((part) => ({ name: 'paths', ...part })),
      ];
      await expectError(await postSiteForm(perch, parts), 400, 'VALIDATION_FAILED');
    }
  });
});

describe('files without paths', () => {
  test('are where their names say', async () => {
    await expectSite(filesOf(FILES, (path) => path));
  });

  test('lose the one folder that all of them are in, as a browser sends it', async () => {
    await expectSite(filesOf(FILES, (path) => `my site/${path}`));
  });

  test('that leave the site are refused', async () => {
    for (const filename of ['../x.txt', '/etc/x.txt', 'a/../../x.txt', 'a\\b.txt', 'C:\\x.txt'])
      await expectError(
        await postSiteForm(perch, [
          ...filesOf({ 'index.html': '<p>' }, baseName),
          { name: 'files', filename, content: 'x' },
        ]),
        400,
        'VALIDATION_FAILED',
      );
  });

  test('that have no name are refused', async () => {
    await expectError(await postSiteForm(perch, [{ name: 'files', content: 'x' }]), 400, 'VALIDATION_FAILED');
  });
});

test('dotfiles and what macOS adds are left out', async () => {
  const clutter = { '.DS_Store': 'x', '__MACOSX/._index.html': 'x', 'css/.cache/x': 'x' };
  await expectSite(filesOf({ ...clutter, ...FILES }, (path) => path));
  await expectSite([...filesOf({ ...clutter, ...FILES }, baseName), ...pathsOf({ ...clutter, ...FILES })]);
});

test('an empty file is a file', async () => {
  const files = { 'index.html': '<p>x', 'empty.txt': '' };
  await expectSite(
    filesOf(files, (path) => path),
    files,
  );
});

test('many folders at once become sites of their own', async () => {
  await atOnce(8, async (n) => {
    const files = { 'index.html': `<p>${n}`, [`folder/${n}.txt`]: `${n}` };
    await expectSite(
      filesOf(files, (path) => path),
      files,
    );
  });
});
