import { heapStats } from 'bun:jsc';
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  createPathRegister,
  isSkippedPath,
  normaliseSitePath,
} from '../../../services/gateway/kinds/sites/site-paths.ts';
import { anyCharacter } from '../../any-character.ts';

test.each([
  ['index.html', 'index.html'],
  ['./index.html', 'index.html'],
  ['a/b/c.css', 'a/b/c.css'],
  ['a\u0308.txt', '\u00e4.txt'],
  ['a b/%2e%2e/c?.txt', 'a b/%2e%2e/c?.txt'],
  ['..a/b...', '..a/b...'],
  ['x'.repeat(500), 'x'.repeat(500)],
  ['🐦'.repeat(500), '🐦'.repeat(500)],
  ['12:30.txt', '12:30.txt'],
  [`~1234567890.${'a'.repeat(43)}`, `~1234567890.${'a'.repeat(43)}`],
  ['~1234567890.aa/b', '~1234567890.aa/b'],
])('%p is the path %p', (raw, path) => {
  expect(normaliseSitePath(raw)).toEqual({ path });
});

test.each([
  ...['', '/', '/a', 'a/', 'a//b', '.', '..', 'a/..', '../a', './../a', '././a', 'a/./b', './'],
  ...[
    'C:a',
    './C:',
    './/a',
    '\u212a:a',
    'c:/a',
    'a\\b',
    '\\a',
    'a\0',
    'a\nb',
    'a\u007f',
    'a\u009f',
    'a\ud800b',
    '\udc00',
  ],
  // At a short URL that is a ticket, whether it is the first folder or becomes it.
  ...[`~1234567890.${'a'.repeat(43)}/b`, `c/~1.${'-'.repeat(43)}/b`],
  ...['x'.repeat(501), '🐦'.repeat(501), 'x'.repeat(1_000_000)],
])('%p is no path', (raw) => {
  expect(normaliseSitePath(raw)).toEqual({ issue: expect.any(String) });
});

test('whatever comes in, a path that comes out stays inside and is its own normal form', () => {
  const piece = fc.oneof(
    fc.constantFrom('.', '..', '/', '\\', '\0', 'C:', 'a', 'ä', './'),
    fc.string({ unit: anyCharacter }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const verdict = normaliseSitePath(pieces.join(''));
      if ('issue' in verdict) return;
      const { path } = verdict;
      expect(normaliseSitePath(path)).toEqual({ path });
      expect(
        new URL(`http://a/b/c/${path.split('/').map(encodeURIComponent).join('/')}`).pathname,
      ).toStartWith('/b/c/');
      for (const segment of path.split('/')) expect(['', '.', '..']).not.toContain(segment);
    }),
  );
});

test.each([
  '.DS_Store',
  '.git/config',
  'a/.cache/b',
  'a/.htaccess',
  '__MACOSX/a',
  '__MACOSX',
  '.well-known/x',
  '...',
])('%s is left out', (path) => {
  expect(isSkippedPath(path)).toBe(true);
});

test.each(['a.b', 'a/b.c', '__MACOSX2/a', 'a/__MACOSX/b', 'a../b'])('%s is not left out', (path) => {
  expect(isSkippedPath(path)).toBe(false);
});

test('paths clash as on a file system that ignores case', () => {
  const register = createPathRegister();
  expect(register.add('Docs/Read.me')).toBeNull();
  expect(register.add('docs/read.ME')).toContain('twice');
  expect(register.add('DOCS')).toContain('both a file and a folder');
  expect(register.add('docs/read.me/a')).toContain('also a file');
  expect(register.add('docs/other')).toBeNull();
  expect(register.add('docs2')).toBeNull();
  expect(register.add('constructor')).toBeNull();
});

test.each([
  ['the file before', ['A', 'a/b'], 'also a file'],
  ['the file before, with names between them', ['a', 'a-b', 'a!', 'a0', 'a/b'], 'also a file'],
  ['the file after', ['a/b', 'a'], 'both a file and a folder'],
  ['the file after, with names between them', ['a/b/c', 'a-b', 'a!', 'a/b'], 'both a file and a folder'],
  ['the file after several files of its folder', ['a/z', 'a/b', 'a/y', 'A'], 'both a file and a folder'],
  ['the file far above', ['a', `${'a/'.repeat(249)}a`], 'also a file'],
])('a file that is also a folder is found: %s', (_, paths, issue) => {
  const register = createPathRegister();
  const issues = paths.map((path) => register.add(path));
  expect(issues.slice(0, -1)).toEqual(paths.slice(1).map(() => null));
  expect(issues.at(-1)).toContain(issue);
});

test('any paths clash as those do that are compared one by one', () => {
  const segment = fc.constantFrom('a', 'A', 'b', 'a-', 'a!', 'b0');
  const anyPath = fc.array(segment, { minLength: 1, maxLength: 3 }).map((segments) => segments.join('/'));
  const issueOf = (path: string, earlier: string[]): string | null => {
    if (earlier.includes(path)) return 'twice';
    if (earlier.some((other) => other.startsWith(`${path}/`))) return 'both a file and a folder';
    return earlier.some((other) => path.startsWith(`${other}/`)) ? 'also a file' : null;
  };
  fc.assert(
    fc.property(fc.array(anyPath, { maxLength: 12 }), (paths) => {
      const register = createPathRegister();
      const taken: string[] = [];
      for (const path of paths) {
        const key = path.toLowerCase();
        const expected = issueOf(key, taken);
        const issue = register.add(path);
        if (expected === null) taken.push(key);
        if (expected === null) expect(issue).toBeNull();
        else expect(issue).toContain(expected);
      }
    }),
  );
});

const stringsInMemory = (): number => {
  Bun.gc(true);
  return heapStats().objectTypeCounts.string ?? 0;
};

test('the register of a thousand paths of 249 folders each keeps a few texts for each path', () => {
  const paths = Array.from({ length: 1_000 }, (_, at) => `${at}/${'a/'.repeat(247)}`.padEnd(500, 'a'));
  const before = stringsInMemory();
  const register = createPathRegister();
  for (const path of paths) expect(register.add(path)).toBeNull();
  expect(stringsInMemory() - before).toBeLessThan(10 * paths.length);
  expect(register.add(paths[0] ?? '')).toContain('twice');
});
