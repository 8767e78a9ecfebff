import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFolderUpload } from '../../../services/gateway/kinds/sites/folder-upload.ts';
import { openSpoolFile } from '../../../services/gateway/kinds/sites/spool.ts';
import { LIMITS } from '../../../shared/items/item.ts';

let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'perch-folder-'));
});

afterAll(() => rm(dir, { recursive: true, force: true }));

const withRoom = async (): Promise<void> => undefined;

async function* bytes(fill: number, size: number) {
  yield new Uint8Array(size).fill(fill);
}

/** In two chunks, of which only the second goes beyond the limit of a file. */
async function* halves(fill: number, size: number) {
  yield new Uint8Array(1_000).fill(fill);
  yield new Uint8Array(size - 1_000).fill(fill);
}

test('the files of a folder come back as they were written, and a spool file that was cut off is no zeros', async () => {
  const spooled = await openSpoolFile(join(dir, 'spooled'));
  const folder = createFolderUpload(spooled, withRoom);
  await folder.add('a.html', bytes(1, 100_000));
  await folder.add('b.html', bytes(2, 50_000));
  await spooled.finish();
  const files = await Array.fromAsync(folder.open([]).files());
  expect(files.map(({ path, bytes: content }) => [path, content.length, new Set(content)])).toEqual([
    ['a.html', 100_000, new Set([1])],
    ['b.html', 50_000, new Set([2])],
  ]);
  await truncate(spooled.path, 120_000);
  const cut = Array.fromAsync(folder.open([]).files());
  await expect(cut).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await spooled.remove();
  const gone = Array.fromAsync(folder.open([]).files());
  await expect(gone).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});

test.each([
  ['one byte more than a file may have', 1],
  ['twice as much', LIMITS.siteFileBytes],
])('a dotfile with %s is left out, and what follows it is as it was', async (_, more) => {
  const spooled = await openSpoolFile(join(dir, `dotfile-${more}`));
  const folder = createFolderUpload(spooled, withRoom);
  await folder.add('.git/objects/largest', bytes(1, LIMITS.siteFileBytes));
  await folder.add('.git/objects/pack', halves(2, LIMITS.siteFileBytes + more));
  await folder.add('index.html', bytes(3, 100));
  await spooled.finish();
  const upload = folder.open([]);
  expect(upload.totalBytes).toBe(LIMITS.siteFileBytes + 100);
  const files = await Array.fromAsync(upload.files());
  expect(files.map(({ path, bytes: content }) => [path, content.length, new Set(content)])).toEqual([
    ['.git/objects/largest', LIMITS.siteFileBytes, new Set([1])],
    ['index.html', 100, new Set([3])],
  ]);
  // Under the name of a file it is one that is too large.
  const named = () => folder.open(['a', 'film.mp4', 'index.html']);
  expect(named).toThrow('is larger than the limit');
  await spooled.remove();
});

test('a file with one byte more than it may have is refused as it comes when its path is known, else once all have come', async () => {
  const spooled = await openSpoolFile(join(dir, 'too-large'));
  const folder = createFolderUpload(spooled, withRoom);
  const large = () => halves(1, LIMITS.siteFileBytes + 1);
  await expect(folder.add('a.html', large(), 'a.html')).rejects.toMatchObject({ code: 'TOO_LARGE' });
  await folder.add('pack', large());
  await spooled.finish();
  expect(() => folder.open([])).toThrow('is larger than the limit');
  expect(() => folder.open(['film.mp4'])).toThrow('is larger than the limit');
  expect(await Array.fromAsync(folder.open(['.git/objects/pack']).files())).toEqual([]);
  await spooled.remove();
});

/** Adds empty files of these names, with paths of their own where there are, and returns the message of the refusal. */
async function refusalOf(names: string[], paths: string[] = []): Promise<string | null> {
  const spooled = await openSpoolFile(join(dir, crypto.randomUUID()));
  const folder = createFolderUpload(spooled, withRoom);
  try {
    for (const [at, name] of names.entries()) await folder.add(name, bytes(0, 0), paths[at]);
    return null;
  } catch (error) {
    expect(error).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ field: 'files' }] });
    return String(error);
  } finally {
    await spooled.remove();
  }
}

const named = (count: number, prefix: string): string[] =>
  Array.from({ length: count }, (_, at) => `${prefix}${at}`);

const FILES = 2 * LIMITS.siteFiles;
const PARTS = 10 * LIMITS.siteFiles;

describe.each([
  [-1, null],
  [0, null],
  [1, 'Leave out folders that are no part of it'],
])('%d files more than are read', (more, refusal) => {
  const expectRefusal = (message: string | null): void =>
    refusal === null ? expect(message).toBeNull() : expect(message).toContain(refusal);

  test('by themselves', async () => {
    expectRefusal(await refusalOf(named(FILES + more, 'a')));
  });

  test('after dotfiles, which are not counted', async () => {
    expectRefusal(await refusalOf([...named(1_500, '.git/'), ...named(FILES + more, 'a')]));
  });

  test('after what their paths leave out, which come before them', async () => {
    const paths = [...named(1_500, '.git/'), ...named(FILES + more, 'a')];
    expectRefusal(await refusalOf(named(paths.length, 'object'), paths));
  });

  test('of names that begin with a dot, and paths that do not', async () => {
    expectRefusal(await refusalOf(named(FILES + more, '.'), named(FILES + more, 'a')));
  });
});

test.each([
  [-1, null],
  [0, null],
  [1, `more than ${PARTS} files, dotfiles among them`],
])('%d files more than may come with those that are left out', async (more, refusal) => {
  const message = await refusalOf([...named(FILES, 'a'), ...named(PARTS - FILES + more, '.git/')]);
  if (refusal === null) expect(message).toBeNull();
  else expect(message).toContain(refusal);
});

test('a file that its path leaves out may be larger than a file of a site, also by another name', async () => {
  const spooled = await openSpoolFile(join(dir, 'left-out-by-path'));
  const folder = createFolderUpload(spooled, withRoom);
  await folder.add('pack', halves(1, LIMITS.siteFileBytes + 1), '.git/objects/pack');
  await folder.add('index.html', bytes(2, 10), 'index.html');
  await spooled.finish();
  const files = await Array.fromAsync(folder.open(['.git/objects/pack', 'index.html']).files());
  expect(files.map(({ path, bytes: content }) => [path, content.length])).toEqual([['index.html', 10]]);
  await spooled.remove();
  const other = await openSpoolFile(join(dir, 'not-left-out-by-path'));
  const adding = createFolderUpload(other, withRoom).add(
    '.pack',
    halves(1, LIMITS.siteFileBytes + 1),
    'film.mp4',
  );
  await expect(adding).rejects.toMatchObject({ code: 'TOO_LARGE' });
  await other.remove();
});
