import { expect, test } from 'bun:test';
import { findSiteFile } from '../../../services/gateway/kinds/sites/indexes.ts';
import type { SiteIndex } from '../../../shared/items/site-index.ts';

const indexOf = (...paths: string[]): SiteIndex => ({
  files: paths.map((path, offset) => ({ path, offset, length: 1, contentType: 'text/html', etag: path })),
});

const SITE = indexOf(
  '404.html',
  'a/b/index.html',
  'css/site.css',
  'docs/index.html',
  'index.html',
  '\u00e4/ü.txt',
);

/** The result in short: the path with its status, or the redirect's target. */
function find(index: SiteIndex, entryFile: string, sub: string, shown = true): string | null {
  const answer = findSiteFile(index, entryFile, sub, shown);
  if (answer === null) return null;
  return 'redirect' in answer ? `→ ${answer.redirect}` : `${answer.status} ${answer.file.path}`;
}

test.each([
  ['', '200 index.html'],
  ['index.html', '200 index.html'],
  ['css/site.css', '200 css/site.css'],
  ['docs', '→ docs/'],
  ['docs/', '200 docs/index.html'],
  ['docs/index.html', '200 docs/index.html'],
  ['a/b', '→ a/b/'],
  ['a', '404 404.html'],
  ['a/', '404 404.html'],
  ['css', '404 404.html'],
  ['css/', '404 404.html'],
  ['404.html', '200 404.html'],
  ['a\u0308/u\u0308.txt', '200 ä/ü.txt'],
  ['Index.html', '404 404.html'],
  ['index.html/', '404 404.html'],
  ['docs//', '404 404.html'],
  ['/', '404 404.html'],
  ['/index.html', '404 404.html'],
  ['../index.html', '404 404.html'],
  ['docs/../index.html', '404 404.html'],
  ['constructor', '404 404.html'],
  ['\ud800', '404 404.html'],
])('%p is %s', (sub, expected) => {
  expect(find(SITE, 'index.html', sub)).toBe(expected);
});

test('without a 404.html nothing is found', () => {
  expect(find(indexOf('index.html', 'docs/404.html'), 'index.html', 'docs/none')).toBeNull();
});

test('an entry file of another name answers at the root', () => {
  const site = indexOf('docs/a.html', 'start.html');
  expect(find(site, 'start.html', '')).toBe('200 start.html');
  expect(find(site, 'start.html', 'docs/')).toBeNull();
});

test('an entry file in a folder answers under its own address, so that its links work', () => {
  const site = indexOf('docs/start.html', 'docs/style.css');
  expect(find(site, 'docs/start.html', '')).toBe('→ docs/start.html');
  expect(find(site, 'docs/start.html', 'docs/start.html')).toBe('200 docs/start.html');
});

test('an entry file in a folder answers at the root where no browser shows it', () => {
  const site = indexOf('docs/start.html', 'docs/style.css');
  expect(find(site, 'docs/start.html', '', false)).toBe('200 docs/start.html');
  expect(find(site, 'docs/start.html', 'docs/start.html', false)).toBe('200 docs/start.html');
});

test('a folder without its slash is its index where no browser shows it', () => {
  expect(find(SITE, 'index.html', 'docs', false)).toBe('200 docs/index.html');
  expect(find(SITE, 'index.html', 'a/b', false)).toBe('200 a/b/index.html');
  expect(find(SITE, 'index.html', 'a', false)).toBe('404 404.html');
});

test('an entry file that the index does not have is nothing', () => {
  expect(find(indexOf('a.html'), 'index.html', '')).toBeNull();
  expect(find(indexOf('a.html'), 'docs/index.html', '')).toBeNull();
});
