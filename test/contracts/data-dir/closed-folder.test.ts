import { afterEach, beforeEach, expect, test } from 'bun:test';
import { chmod, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { closeFolder, openPassage } from '../../../shared/adapters/data-dir/private-files.ts';

const said: string[] = [];
const log = pino({}, { write: (line: string) => void said.push(line) });
let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perch-closed-'));
  said.length = 0;
});
afterEach(() => rm(folder, { recursive: true }));

const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

test.each([0o777, 0o755, 0o750, 0o710, 0o700])('a folder of mode %o is closed', async (mode) => {
  await chmod(folder, mode);
  await closeFolder(folder, log);
  expect([await modeOf(folder), said]).toEqual(['700', []]);
});

test('a passage is for one group, to pass through', async () => {
  const { gid, uid } = await stat(folder);
  await openPassage(folder, gid);
  expect([await modeOf(folder), (await stat(folder)).uid]).toEqual(['710', uid]);
});

test('what cannot be closed is told, and keeps nobody from starting', async () => {
  await closeFolder(join(folder, 'none'), log);
  expect(said).toHaveLength(1);
  expect(said[0]).toContain('cannot be closed');
});
