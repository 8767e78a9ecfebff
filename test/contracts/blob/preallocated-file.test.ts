import { afterAll, beforeAll, expect, test } from 'bun:test';
import { open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { nanoid } from 'nanoid';
import { NEW_AND_SYNCED } from '../../../shared/adapters/blob/disk/blob-files.ts';
import { createPreallocatedFile } from '../../../shared/adapters/blob/disk/preallocated-file.ts';
import { temporaryFolder } from '../../servers.ts';
import { content } from './contract.ts';
import { withFileSizeLimit } from './file-size-limit.ts';

let folder: string;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Zeros that a file gets with its first append. */
const FIRST_STEP = 131_072;

test.each([
  ['small ones', Array.from({ length: 300 }, (_, index) => 1 + (index % 97))],
  [
    'ones that reach to the end of the zeros, and past it',
    [1, FIRST_STEP - 1, FIRST_STEP, FIRST_STEP + 1, 7],
  ],
  ['ones larger than all zeros there are', [3_000_000, 1, 3_000_000, 5_000_000, 1]],
  ['some of nothing', [0, 0, 10, 0]],
])('appends of %s stand one behind the other, and only zeros follow', async (_, sizes) => {
  const path = join(folder, nanoid());
  const file = createPreallocatedFile(await open(path, NEW_AND_SYNCED, 0o600));
  const parts = sizes.map((size, index) => content(size, index + 1));
  for (const part of parts) await file.append([part.subarray(0, 5), part.subarray(5)]);
  await file.close();
  const whole = await readFile(path);
  const end = parts.reduce((sum, { length }) => sum + length, 0);
  expect(whole.subarray(0, end).equals(Buffer.concat(parts))).toBe(true);
  expect(whole.subarray(end).every((byte) => byte === 0)).toBe(true);
  expect(whole.length).toBeGreaterThan(end);
});

test('zeros that are late do not end up over bytes that were appended meanwhile', async () => {
  const path = join(folder, nanoid());
  const handle = await open(path, NEW_AND_SYNCED, 0o600);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const late = Object.assign(Object.create(handle), {
    async writev(buffers: Uint8Array[], at: number) {
      if (buffers.every((buffer) => buffer.every((byte) => byte === 0))) await released;
      return await handle.writev(buffers, at);
    },
    close: () => handle.close(),
  });
  const file = createPreallocatedFile(late);
  const parts = [content(10, 1), content(FIRST_STEP, 2)] as const;
  await file.append([parts[0]]);
  const second = file.append([parts[1]]);
  await Promise.race([second, Bun.sleep(100)]);
  release();
  await second;
  await file.close();
  const whole = await readFile(path);
  expect(whole.subarray(0, 10 + FIRST_STEP).equals(Buffer.concat(parts))).toBe(true);
});

test('where zeros find no room bytes are appended as long as they do', async () => {
  const path = join(folder, nanoid());
  const code = `
    const { open } = await import('node:fs/promises');
    const { NEW_AND_SYNCED } = await import(${JSON.stringify(import.meta.resolve('../../../shared/adapters/blob/disk/blob-files.ts'))});
    const { createPreallocatedFile } = await import(${JSON.stringify(import.meta.resolve('../../../shared/adapters/blob/disk/preallocated-file.ts'))});
    const file = createPreallocatedFile(await open(process.argv[1], NEW_AND_SYNCED, 0o600));
    let kept = 0;
    try {
      for (;;) {
        await file.append([Buffer.alloc(10_000, 1 + kept)]);
        kept += 1;
      }
    } catch {}
    await file.close();
    console.log(kept);`;
  const limited = [...withFileSizeLimit(64), process.execPath, '-e', code, path];
  const child = Bun.spawn(limited, { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const said = [await child.stdout.text(), await child.stderr.text(), await child.exited];
  expect(said).toEqual(['6\n', '', 0]);
  const whole = await readFile(path);
  for (let part = 0; part < 6; part++)
    expect(whole.subarray(part * 10_000, (part + 1) * 10_000).every((byte) => byte === 1 + part)).toBe(true);
});
