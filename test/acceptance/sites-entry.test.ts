import { describe, expect, test } from 'bun:test';
import { jsonOf } from './support/client.ts';
import { expectError } from './support/errors.ts';
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

const post = (files: SiteFiles, entry?: string) =>
  postArchive(perch, archiveOf(files), entry === undefined ? {} : { query: { entry } });
const create = async (files: SiteFiles, entry?: string): Promise<PublishedSite> =>
  jsonOf<PublishedSite>(await post(files, entry), 201);

describe('a site begins with', () => {
  const FOUND: Array<[why: string, files: string[], entry: string | undefined, entryFile: string]> = [
    ['index.html', ['index.html', 'a.html'], undefined, 'index.html'],
    ['the only HTML file', ['start.html', 'a.css'], undefined, 'start.html'],
    ['the only HTML file, by its other extension', ['start.htm', 'a.css'], undefined, 'start.htm'],
    ['the only HTML file, in a folder', ['docs/start.html', 'a.css'], undefined, 'docs/start.html'],
    ['index.html in the one top folder', ['my site/index.html', 'my site/b.html'], undefined, 'index.html'],
    ['the only HTML file in the one top folder', ['site/start.html', 'site/a.css'], undefined, 'start.html'],
    ['the file that is named', ['index.html', 'start.html'], 'start.html', 'start.html'],
    ['the file that is named, in a folder', ['index.html', 'a/b.html'], 'a/b.html', 'a/b.html'],
    ['the file that is named, which need not be HTML', ['index.html', 'a.txt'], 'a.txt', 'a.txt'],
    ['the file named without the top folder', ['site/a.html', 'site/b.html'], 'b.html', 'b.html'],
    ['the file named with the top folder', ['site/a.html', 'site/b.html'], 'site/b.html', 'b.html'],
    ['the file named with ./', ['index.html', 'b.html'], './b.html', 'b.html'],
  ];
  test.each(FOUND)('%s', async (_, paths, entry, entryFile) => {
    const files = Object.fromEntries(paths.map((path) => [path, `<p>${path}`]));
    const site = await create(files, entry);
    expect(site.entryFile).toBe(entryFile);
    const view = await readSite(perch, site, '', { redirect: 'follow' });
    expect(view.status).toBe(200);
    expect(await view.text()).toEndWith(entryFile);
  });

  test('what the form says, unless the query says another', async () => {
    const archive = {
      name: 'archive',
      filename: 'a.zip',
      content: archiveOf({ 'a.html': 'a', 'b.html': 'b' }),
    };
    const entry = { name: 'entry', content: 'b.html' };
    for (const parts of [
      [archive, entry],
      [entry, archive],
    ]) {
      expect((await jsonOf<PublishedSite>(await postSiteForm(perch, parts), 201)).entryFile).toBe('b.html');
      const query = { entry: 'a.html' };
      const site = await jsonOf<PublishedSite>(await postSiteForm(perch, parts, { query }), 201);
      expect(site.entryFile).toBe('a.html');
    }
  });
});

describe('a site cannot begin with', () => {
  const NONE: Array<[why: string, files: string[], entry: string | undefined]> = [
    ['one of several pages', ['a.html', 'b.html'], undefined],
    ['no page at all', ['a.txt', 'b.css'], undefined],
    ['an index.html in one of several folders', ['a/index.html', 'b/other.html'], undefined],
    ['a file that is not there', ['index.html'], 'missing.html'],
    ['a file in another case', ['index.html', 'Start.html'], 'start.html'],
    ['a folder', ['index.html', 'a/b.html'], 'a'],
    ['a file outside', ['index.html'], '../index.html'],
    ['an absolute path', ['index.html'], '/index.html'],
    ['a file that is left out', ['index.html', '.hidden.html'], '.hidden.html'],
  ];
  test.each(NONE)('%s', async (_, paths, entry) => {
    const files = Object.fromEntries(paths.map((path) => [path, '<p>x']));
    await expectError(await post(files, entry), 400, 'VALIDATION_FAILED', 'entry');
  });
});

describe('the one top folder', () => {
  const pathsOf = async (...paths: string[]) => {
    const site = await create(Object.fromEntries(paths.map((path) => [path, 'x'])));
    return (await recordOf(perch, site)).files.map(({ path }) => path);
  };

  test('is dropped once, also where a file in it has its name', async () => {
    expect(await pathsOf('site/index.html', 'site/a/b.css')).toEqual(['a/b.css', 'index.html']);
    expect(await pathsOf('a/b/index.html', 'a/b/c.css')).toEqual(['b/c.css', 'b/index.html']);
    expect(await pathsOf('site/site/a.css', 'site/index.html')).toEqual(['index.html', 'site/a.css']);
  });

  test('is kept when it is not the only one, or something is beside it', async () => {
    expect(await pathsOf('site/a.css', 'index.html')).toEqual(['index.html', 'site/a.css']);
    expect(await pathsOf('a/only.html', 'b/a.css')).toEqual(['a/only.html', 'b/a.css']);
    expect(await pathsOf('site/only.html', 'site2/a.css')).toEqual(['site/only.html', 'site2/a.css']);
  });

  test('is the only one also where macOS and dotfiles are beside it', async () => {
    expect(await pathsOf('site/index.html', '__MACOSX/site/._index.html', '.DS_Store')).toEqual([
      'index.html',
    ]);
  });
});
