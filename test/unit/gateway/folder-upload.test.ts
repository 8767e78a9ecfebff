import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSpoolFile } from '../../../services/gateway/kinds/sites/spool.ts';
import { createFolderUpload } from '../../../services/gateway/kinds/sites/spool-upload.ts';

let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'perch-folder-'));
});

afterAll(() => rm(dir, { recursive: true, force: true }));

async function* bytes(fill: number, size: number) {
  yield new Uint8Array(size).fill(fill);
}

test('the files of a folder come back as they were written, and a spool file that was cut off is no zeros', async () => {
  const spooled = await openSpoolFile(join(dir, 'spooled'));
  const folder = createFolderUpload(spooled);
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
