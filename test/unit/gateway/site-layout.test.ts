import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { folderAround, foundEntry, layOut } from '../../../services/gateway/kinds/sites/site-layout.ts';
import { isSkippedPath, normaliseSitePath } from '../../../services/gateway/kinds/sites/site-paths.ts';
import { LIMITS } from '../../../shared/items/item.ts';

const filesOf = (paths: string[]) =>
  paths.map((path) => ({ path, offset: 0, length: 0, contentType: 'text/html', etag: '0' }));

/** The paths of a site after an upload of these, or `null` where one is refused. */
function uploaded(raw: string[]): string[] | null {
  const verdicts = raw.map(normaliseSitePath);
  const paths = verdicts.flatMap((verdict) => ('path' in verdict ? [verdict.path] : []));
  if (paths.length < verdicts.length) return null;
  const kept = paths.filter((path) => !isSkippedPath(path));
  return kept.length === 0
    ? null
    : layOut(filesOf(kept), kept[0] ?? null, null).files.map(({ path }) => path);
}

const archived = (paths: string[]): string[] => paths.map((path) => folderAround(filesOf(paths)) + path);

test.each([
  ['paths that stay as they are', ['index.html', 'a/b.css'], ''],
  ['a file without a folder', ['index.html'], ''],
  ['one folder', ['dist/index.html', 'dist/app.js'], 'site/'],
  ['one folder, of one file', ['a/b/c.html'], 'site/'],
  ['one folder of that name', ['site/index.html'], 'site/'],
  ['a folder that is left out at the top', ['index.html', '__MACOSX/a'], 'site/'],
  ['a path like one of a drive', ['index.html', 'c:/a.txt'], 'site/'],
  ['several folders', ['a/index.html', 'b/c.html'], ''],
])('the folder of an archive around %s', (_, paths, folder) => {
  expect(folderAround(filesOf(paths))).toBe(folder);
  expect(uploaded(archived(paths))).toEqual(paths.toSorted());
});

test.each([
  [494, 'site/'],
  [495, 'site/'],
  [496, 's/'],
  [498, 's/'],
])('there is room for it around paths of %d characters', (length, folder) => {
  for (const character of ['x', '🐦']) {
    const path = `dist/${character.repeat(length - 5)}`;
    expect([...path]).toHaveLength(length);
    expect(folderAround(filesOf([path]))).toBe(folder);
    expect([...folder].length + length).toBeLessThanOrEqual(LIMITS.sitePathCharacters);
    expect(uploaded(archived([path]))).toEqual([path]);
  }
});

test('an upload of an archive makes the paths that the archive is of, whatever they are', () => {
  const segment = fc.constantFrom('a', 'b', 'c:', '__MACOSX', 'site', 's', 'index.html', '.a');
  const anyPath = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'));
  fc.assert(
    fc.property(fc.uniqueArray(anyPath, { minLength: 1, maxLength: 4 }), (raw) => {
      const site = uploaded(raw);
      if (site !== null) expect(uploaded(archived(site))).toEqual(site);
    }),
  );
});

const KEPT: Array<[why: string, paths: string[], named: string | null, kept: string | null, entry: string]> =
  [
    ['the kept one', ['a.html', 'b.html'], null, 'b.html', 'b.html'],
    ['the kept one before index.html', ['index.html', 'b.html'], null, 'b.html', 'b.html'],
    ['the kept one in the folder that is dropped', ['s/a.html', 's/b.html'], null, 'b.html', 'b.html'],
    ['the named one before the kept one', ['a.html', 'b.html'], 'a.html', 'b.html', 'a.html'],
    ['another one where the kept one is gone', ['index.html', 'a.html'], null, 'b.html', 'index.html'],
    [
      'another one where the kept one has another case',
      ['index.html', 'B.html'],
      null,
      'b.html',
      'index.html',
    ],
  ];
test.each(KEPT)('a site begins with %s', (_, paths, named, kept, entryFile) => {
  expect(layOut(filesOf(paths), named, kept).entryFile).toBe(entryFile);
});

test('no site begins with a kept file that is gone', () => {
  expect(() => layOut(filesOf(['a.html', 'b.html']), null, 'c.html')).toThrow('several other HTML files');
});

test.each([
  [['a.html', 'index.html'], 'index.html'],
  [['a/index.html', 'b.css'], 'a/index.html'],
  [['a.html', 'b.html'], null],
  [['a.txt'], null],
])('of %p a site begins by itself with %p', (paths, entry) => {
  expect(foundEntry(filesOf(paths))).toBe(entry);
});
