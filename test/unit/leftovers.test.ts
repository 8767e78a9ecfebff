import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { endLeftovers, findLeftovers, makeRunFolder } from '../leftovers.ts';

let folder: string;

beforeAll(async () => {
  folder = await makeRunFolder();
  await mkdir(join(folder, 'data'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A process that nobody else ends. */
const started: Record<string, () => Bun.Subprocess> = {
  'knows the folder by its environment': () =>
    Bun.spawn(['sleep', '60'], { cwd: '/', env: { PATH: '/usr/bin:/bin', TMPDIR: folder } }),
  'works in the folder, and inherits nothing': () =>
    Bun.spawn(['sleep', '60'], { cwd: join(folder, 'data'), env: { PATH: '/usr/bin:/bin' } }),
};

test.each(Object.keys(started))('a process of a run that %s is found, and ended', async (how) => {
  const child = started[how]?.();
  const { failed, failures } = await findLeftovers(folder, 1_000);
  expect(failed).toBe(1);
  expect(failures[0]?.lines).toEqual([`still running: ${child?.pid} sleep 60 `]);
  await endLeftovers(folder);
  expect(await child?.exited).toBe(143);
  expect((await findLeftovers(folder)).passed).toBe(1);
});

test('another run is left alone', async () => {
  const child = Bun.spawn(['sleep', '60'], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', TMPDIR: `${folder}-other` },
  });
  await endLeftovers(folder);
  expect(child.exitCode).toBeNull();
  child.kill();
  await child.exited;
});
