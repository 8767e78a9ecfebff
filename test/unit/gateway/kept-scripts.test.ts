import { afterAll, beforeEach, expect, test } from 'bun:test';
import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadScripts, type Script } from '../../../services/gateway/web/scripts.ts';

const roots: string[] = [];
let root: string;
let kept: string;
let made: number;
let pages: string[];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'perch-scripts-'));
  roots.push(root);
  kept = join(root, 'cache/scripts.json');
  made = 0;
  pages = ['page.ts'];
  await write('page.ts', 'first');
});
afterAll(() => Promise.all(roots.map((folder) => rm(folder, { recursive: true }))));

/** A file that was changed before the bundling of it begins. */
async function write(path: string, text: string): Promise<void> {
  await Bun.write(join(root, path), text);
  await utimes(join(root, path), new Date(0), new Date(0));
}

/** Each page as it is. */
const bundle = async (): Promise<Script[]> => {
  made += 1;
  return await Promise.all(
    pages.map(async (path) => ({
      name: path,
      sources: [path],
      bytes: await Bun.file(join(root, path)).bytes(),
    })),
  );
};

const load = async (): Promise<Record<string, string>> => {
  const scripts = await loadScripts(kept, { root, entries: () => pages, bundle });
  return Object.fromEntries(scripts.entries().map(([name, bytes]) => [name, Buffer.from(bytes).toString()]));
};

test('a second start takes the scripts of the first', async () => {
  expect(await load()).toEqual({ 'page.ts': 'first' });
  expect(await load()).toEqual({ 'page.ts': 'first' });
  expect(made).toBe(1);
  expect(await readdir(join(root, 'cache'))).toEqual(['scripts.json']);
});

test('a source that was changed, or removed, and a new page are bundled', async () => {
  await load();
  await write('page.ts', 'other');
  expect(await load()).toEqual({ 'page.ts': 'other' });
  await write('more.ts', 'more');
  pages = ['more.ts', 'page.ts'];
  expect(await load()).toEqual({ 'more.ts': 'more', 'page.ts': 'other' });
  await rm(join(root, 'page.ts'));
  pages = ['more.ts'];
  expect(await load()).toEqual({ 'more.ts': 'more' });
  expect(made).toBe(4);
});

test('those of another Bun, and a file that is damaged, are not taken', async () => {
  await load();
  const text = await Bun.file(kept).text();
  for (const damaged of [
    text.replace(`"bun":"${Bun.version}"`, '"bun":"0.1"'),
    text.slice(0, -9),
    '[]',
    '',
  ]) {
    await Bun.write(kept, damaged);
    expect(await load()).toEqual({ 'page.ts': 'first' });
  }
  expect(made).toBe(5);
});

test('a source that is changed while it is bundled is bundled again', async () => {
  await Bun.write(join(root, 'page.ts'), 'now');
  await utimes(join(root, 'page.ts'), new Date(), new Date(Date.now() + 60_000));
  expect(await load()).toEqual({ 'page.ts': 'now' });
  expect(await load()).toEqual({ 'page.ts': 'now' });
  expect(made).toBe(2);
});

test('where nothing can be kept each start bundles, and processes that start at once all have the scripts', async () => {
  await write('cache', 'a file in the place of the folder');
  expect(await load()).toEqual({ 'page.ts': 'first' });
  expect(await load()).toEqual({ 'page.ts': 'first' });
  expect(made).toBe(2);
  await rm(join(root, 'cache'));
  for (const scripts of await Promise.all([load(), load(), load()]))
    expect(scripts).toEqual({ 'page.ts': 'first' });
  expect(await load()).toEqual({ 'page.ts': 'first' });
  expect(await readdir(join(root, 'cache'))).toEqual(['scripts.json']);
});
