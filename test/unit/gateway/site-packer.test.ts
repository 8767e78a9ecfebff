import { afterEach, beforeEach, expect, test } from 'bun:test';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSitePacker } from '../../../services/gateway/kinds/sites/packer.ts';
import { LIMITS } from '../../../shared/items/item.ts';

const MAX = 40 * 1_048_576;
const bytes = (text: string) => new TextEncoder().encode(text);

let folder: string;
let target: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perch-site-packer-'));
  target = join(folder, 'packed');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const packerOf = async (paths: string[]) => {
  const packer = await createSitePacker(target, MAX);
  for (const path of paths) await packer.add(path, bytes(`content of ${path}`));
  return packer;
};
const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: unknown) => error,
  );

test('files lie back to back, each with its place, type and tag', async () => {
  const files: Record<string, Uint8Array> = {
    'index.html': bytes('<p>hello'),
    'large.bin': randomBytes(LIMITS.siteFileBytes),
    'empty.txt': new Uint8Array(),
    'a/app.js': randomBytes(262_144),
    'z.unknown': randomBytes(262_145),
  };
  const packer = await createSitePacker(target, MAX);
  for (const [path, content] of Object.entries(files)) {
    const reused = Uint8Array.from(content);
    await packer.add(path, reused);
    reused.fill(0);
  }
  const site = await packer.finish(null);
  const packed = await readFile(target);
  expect(site).toMatchObject({
    entryFile: 'index.html',
    fileCount: 5,
    totalSizeBytes: packed.length,
    path: target,
  });
  expect(site.index.files.map(({ path }) => path)).toEqual(Object.keys(files).sort());
  for (const { path, offset, length, etag } of site.index.files) {
    const content = files[path] ?? bytes('none');
    expect(Buffer.compare(packed.subarray(offset, offset + length), content)).toBe(0);
    expect(etag).toBe(createHash('sha256').update(content).digest('hex').slice(0, 32));
  }
  await packer.abort();
  await packer.abort();
  expect(await readdir(folder)).toEqual([]);
});

test.each([
  ['a.html', 'text/html; charset=utf-8'],
  ['a.HTM', 'text/html; charset=utf-8'],
  ['a.css', 'text/css; charset=utf-8'],
  ['a.mjs', 'text/javascript; charset=utf-8'],
  ['a.json', 'application/json'],
  ['a.svg', 'image/svg+xml'],
  ['a.woff2', 'font/woff2'],
  ['a.wasm', 'application/wasm'],
  ['a.webmanifest', 'application/manifest+json'],
  ['html', 'application/octet-stream'],
  ['a.html/js', 'application/octet-stream'],
  ['a.unknown', 'application/octet-stream'],
])('%s is served as %s', async (path, contentType) => {
  const packer = await packerOf([path]);
  const site = await packer.finish(path);
  expect(site.index.files[0]?.contentType).toBe(contentType);
  await packer.abort();
});

test.each([
  ['index.html', [0xe4], 'text/html'],
  ['note.txt', [0xff, 0xfe, 0x41, 0x00], 'text/plain'],
  ['app.ts', [0x80], 'text/plain'],
  ['style.css', [0xc3, 0xa4], 'text/css; charset=utf-8'],
  ['cut.css', [0x61, 0xc3], 'text/css'],
  ['logo.svg', [0xe4], 'image/svg+xml'],
])('%s of the bytes %p is served as %s', async (path, content, contentType) => {
  const packer = await createSitePacker(target, MAX);
  await packer.add(path, Uint8Array.from(content));
  expect((await packer.finish(path)).index.files[0]?.contentType).toBe(contentType);
  await packer.abort();
});

interface EntryCase {
  what: string;
  paths: string[];
  entry?: string;
  files: string[];
  entryFile: string;
}

const ENTRIES: EntryCase[] = [
  {
    what: 'index.html',
    paths: ['index.html', 'other.html'],
    files: ['index.html', 'other.html'],
    entryFile: 'index.html',
  },
  {
    what: 'index.html in the single top folder',
    paths: ['s/index.html', 's/a/b.html'],
    files: ['a/b.html', 'index.html'],
    entryFile: 'index.html',
  },
  { what: 'the only HTML file', paths: ['a.txt', 'z.htm'], files: ['a.txt', 'z.htm'], entryFile: 'z.htm' },
  {
    what: 'the only HTML file, deeper',
    paths: ['a.txt', 'b/c/d.HTML'],
    files: ['a.txt', 'b/c/d.HTML'],
    entryFile: 'b/c/d.HTML',
  },
  {
    what: 'the only HTML file behind the single top folder',
    paths: ['s/b/index.html'],
    files: ['b/index.html'],
    entryFile: 'b/index.html',
  },
  {
    what: 'the named one',
    paths: ['index.html', 'b.html'],
    entry: 'b.html',
    files: ['b.html', 'index.html'],
    entryFile: 'b.html',
  },
  {
    what: 'the named one, with ./',
    paths: ['a.html', 'b.html'],
    entry: './b.html',
    files: ['a.html', 'b.html'],
    entryFile: 'b.html',
  },
  {
    what: 'the named one, with the top folder',
    paths: ['s/a.html', 's/b.html'],
    entry: 's/b.html',
    files: ['a.html', 'b.html'],
    entryFile: 'b.html',
  },
  {
    what: 'the named one, without the top folder',
    paths: ['s/a.html', 's/b.html'],
    entry: 'b.html',
    files: ['a.html', 'b.html'],
    entryFile: 'b.html',
  },
  {
    what: 'the named one of a folder that has the name of the top one',
    paths: ['s/s/a.html', 's/a.html'],
    entry: 's/a.html',
    files: ['a.html', 's/a.html'],
    entryFile: 's/a.html',
  },
  {
    what: 'the named one in NFD',
    paths: ['\u00e4.html', 'b.html'],
    entry: 'a\u0308.html',
    files: ['b.html', '\u00e4.html'],
    entryFile: '\u00e4.html',
  },
  {
    what: 'folders that differ in case are two',
    paths: ['S/index.html', 's/a.txt'],
    files: ['S/index.html', 's/a.txt'],
    entryFile: 'S/index.html',
  },
  {
    what: 'skipped files do not keep the top folder',
    paths: ['.git/x', 's/index.html'],
    files: ['index.html'],
    entryFile: 'index.html',
  },
];

test.each(ENTRIES)('the entry file: $what', async ({ paths, entry, files, entryFile }) => {
  const packer = await packerOf(paths);
  const site = await packer.finish(entry ?? null);
  expect(site.index.files.map(({ path }) => path)).toEqual(files);
  expect(site.entryFile).toBe(entryFile);
  await packer.abort();
});

test.each([
  ['several HTML files', ['a.html', 'b.html'], null, 'several other HTML files'],
  ['no HTML file', ['a.txt'], null, 'no HTML file'],
  ['a named one that is not there', ['index.html'], 'start.html', '"start.html" is not among'],
  ['a named one in another case', ['index.html'], 'Index.html', 'is not among'],
  ['a named one out of the site', ['index.html'], '../index.html', 'stay inside'],
  ['a named one that is empty', ['index.html'], '', 'is empty'],
])('no entry file: %s', async (_, paths, entry, message) => {
  const packer = await packerOf(paths);
  expect(await refusal(packer.finish(entry))).toMatchObject({
    code: 'VALIDATION_FAILED',
    details: [{ field: 'entry', message: expect.stringContaining(message) }],
  });
  await packer.abort();
  expect(await readdir(folder)).toEqual([]);
});

test.each([
  ['nothing', []],
  ['only what is left out', ['.a', '__MACOSX/b', 'c/.d/e']],
])('a site of %s is none', async (_, paths) => {
  const packer = await packerOf(paths);
  expect(await refusal(packer.finish(null))).toMatchObject({ code: 'VALIDATION_FAILED' });
  await packer.abort();
});

test('paths of a folder upload are held to the same rules', async () => {
  const packer = await packerOf(['a.txt', 'b/c']);
  for (const path of ['../x', '/x', 'x\\y', 'A.TXT', 'a.txt/b', 'B', 'a\ud800'])
    expect(await refusal(packer.add(path, bytes('x')))).toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ field: 'files' }],
    });
  await packer.abort();
});

test('1,000 files fit, one more does not', async () => {
  const packer = await packerOf(Array.from({ length: LIMITS.siteFiles }, (_, index) => `${index}.html`));
  expect(await refusal(packer.add('one-more.txt', bytes('x')))).toMatchObject({ code: 'VALIDATION_FAILED' });
  expect((await packer.finish('7.html')).fileCount).toBe(1_000);
  await packer.abort();
});

test('5 MB fit, one byte more does not, nor more than the whole site may have', async () => {
  const packer = await createSitePacker(target, LIMITS.siteFileBytes + 10);
  await packer.add('a.bin', new Uint8Array(LIMITS.siteFileBytes));
  expect(await refusal(packer.add('b.bin', new Uint8Array(LIMITS.siteFileBytes + 1)))).toMatchObject({
    code: 'TOO_LARGE',
    message: expect.stringContaining('5 MB'),
  });
  await packer.add('c.html', new Uint8Array(10));
  expect(await refusal(packer.add('d.txt', new Uint8Array(1)))).toMatchObject({ code: 'TOO_LARGE' });
  await packer.abort();
});

test('a packed file never overwrites another', async () => {
  await writeFile(target, 'somebody else’s');
  expect(await refusal(createSitePacker(target, MAX))).toMatchObject({ code: 'UNAVAILABLE' });
  expect(await readFile(target, 'utf8')).toBe('somebody else’s');
});
