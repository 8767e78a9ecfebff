import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSpoolFile } from '../../../services/gateway/kinds/sites/spool.ts';
import { createFolderUpload } from '../../../services/gateway/kinds/sites/spool-upload.ts';
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
  const named = Array.fromAsync(folder.open(['a', 'film.mp4', 'index.html']).files());
  await expect(named).rejects.toMatchObject({ code: 'TOO_LARGE' });
  await spooled.remove();
});

test('a file with one byte more than it may have is refused as it comes', async () => {
  const spooled = await openSpoolFile(join(dir, 'too-large'));
  const adding = createFolderUpload(spooled, withRoom).add('a.html', halves(1, LIMITS.siteFileBytes + 1));
  await expect(adding).rejects.toMatchObject({ code: 'TOO_LARGE' });
  await spooled.remove();
});
