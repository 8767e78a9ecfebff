import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSpool, openSpoolFile, type Spool } from '../../../services/gateway/kinds/sites/spool.ts';
import { createLogger } from '../../../shared/logger.ts';

const UNAVAILABLE = { code: 'UNAVAILABLE' };
const { log } = createLogger('test', 'silent');
let dir: string;
let spool: Spool;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'perch-spool-'));
  spool = await createSpool({ dir, log });
});
afterEach(async () => {
  await spool.close();
  await rm(dir, { recursive: true, force: true });
});

const OWN = `upload-${process.pid}`;

describe('a spool file', () => {
  test('holds what was written', async () => {
    const file = await spool.file();
    const pieces = ['one', '', 'two'.repeat(100_000), 'three'];
    for (const piece of pieces) await file.write(Buffer.from(piece));
    await file.finish();
    expect(await readFile(file.path, 'utf8')).toBe(pieces.join(''));
    await file.remove();
    await file.remove();
    expect(await readdir(join(dir, OWN))).toEqual([]);
  });

  test('says UNAVAILABLE where it cannot be removed', async () => {
    const file = await spool.file();
    // A folder with something in it is no file to remove.
    await rm(file.path);
    await mkdir(join(file.path, 'in-the-way'), { recursive: true });
    await expect(file.remove()).rejects.toMatchObject(UNAVAILABLE);
  });

  test('is empty when nothing was written, and for its user alone', async () => {
    const file = await spool.file();
    expect((await stat(file.path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(dir, OWN))).mode & 0o777).toBe(0o700);
    await file.finish();
    expect(await readFile(file.path, 'utf8')).toBe('');
  });

  test('may be removed before it is finished', async () => {
    const file = await spool.file();
    await file.write(Buffer.from('half'));
    await file.remove();
    expect(await readdir(join(dir, OWN))).toEqual([]);
    await expect(file.write(Buffer.from('more'))).rejects.toMatchObject(UNAVAILABLE);
  });

  test('on a full disk: STORAGE_FULL with a time to try again, and the file is gone', async () => {
    const path = join(dir, 'full');
    await symlink('/dev/full', path);
    const file = await openSpoolFile(path);
    const writing = file.write(Buffer.from('too much'));
    await expect(writing).rejects.toMatchObject({
      code: 'STORAGE_FULL',
      retryAfter: 30,
      cause: { code: 'ENOSPC' },
    });
    await expect(writing).rejects.toThrow('disk space for uploads');
    expect(await readdir(dir)).not.toContain('full');
    await file.remove();
  });
});

describe('a spool', () => {
  test('many files at once, each its own', async () => {
    const files = await Promise.all(Array.from({ length: 50 }, () => spool.file()));
    await Promise.all(files.map((file, index) => file.write(Buffer.from(`file ${index}`))));
    await Promise.all(files.map((file) => file.finish()));
    const written = await Promise.all(files.map((file) => readFile(file.path, 'utf8')));
    expect(written).toEqual(files.map((_, index) => `file ${index}`));
  });

  test('takes its folder with it, whatever is left in it, and gives no more files', async () => {
    const [, left] = await Promise.all([spool.file(), spool.file()]);
    await left.write(Buffer.from('x'));
    await spool.close();
    expect(await readdir(dir)).toEqual([]);
    await spool.close();
    await left.remove();
    await expect(spool.file()).rejects.toMatchObject(UNAVAILABLE);
  });

  test('says UNAVAILABLE where its folder was taken away', async () => {
    await rm(dir, { recursive: true });
    await expect(spool.file()).rejects.toMatchObject(UNAVAILABLE);
  });

  test('removes what processes left that are gone, also under its own number, and nothing else', async () => {
    const gone = Bun.spawn([process.execPath, '--version'], { stdout: 'ignore' });
    await gone.exited;
    const kept = ['upload-1', 'upload-', 'upload-abc', 'other', `upload-${process.ppid}`];
    for (const name of [...kept, `upload-${gone.pid}`]) {
      await mkdir(join(dir, name));
      await writeFile(join(dir, name, 'left'), '');
    }
    await writeFile(join(dir, OWN, 'left'), '');
    spool = await createSpool({ dir, log });
    expect((await readdir(dir)).sort()).toEqual([...kept, OWN].sort());
    expect(await readdir(join(dir, OWN))).toEqual([]);
  });

  test('makes its folder where there is none', async () => {
    const deep = await createSpool({ dir: join(dir, 'a', 'b'), log });
    await deep.file();
    await deep.close();
    expect(await readdir(join(dir, 'a', 'b'))).toEqual([]);
  });
});
