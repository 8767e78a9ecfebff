import { expect, test } from 'bun:test';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { unpackTo } from '../../clients/cli/src/commands/get.ts';

/** Unpacks a ZIP of these files into a folder of its own, beside which there is nothing. */
async function unpack<T>(
  files: Record<string, string>,
  look: (folder: string, paths: string[]) => Promise<T>,
) {
  const around = await mkdtemp(join(tmpdir(), 'perch-unpack-'));
  try {
    const archive = zipSync(
      Object.fromEntries(Object.entries(files).map(([path, text]) => [path, strToU8(text)])),
    );
    const folder = join(around, 'site');
    return await look(folder, await unpackTo(folder, new Blob([archive]).stream()));
  } catch (error) {
    // Nothing of what was refused lies beside the folder.
    expect((await readdir(around)).filter((name) => name !== 'site')).toEqual([]);
    throw error;
  } finally {
    await rm(around, { recursive: true, force: true });
  }
}

test('the files of an archive come to lie in their folders', async () => {
  const files = { 'index.html': '<h1>Site</h1>', 'a/b/größe.css': 'p {}', 'empty.txt': '' };
  await unpack(files, async (folder, paths) => {
    expect(paths).toEqual(Object.keys(files));
    for (const [path, text] of Object.entries(files))
      expect(await readFile(join(folder, path), 'utf8')).toBe(text);
  });
});

test('a path that leads out of the folder is refused', async () => {
  for (const path of ['../evil.txt', 'a/../../evil.txt', '/evil.txt', '..\\evil.txt'])
    expect(unpack({ [path]: 'evil' }, async () => undefined)).rejects.toThrow();
});

test('an archive that broke off is refused', async () => {
  const folder = join(tmpdir(), `perch-unpack-none-${process.pid}`);
  expect(unpackTo(folder, new Blob(['PK and no more']).stream())).rejects.toThrow();
});
