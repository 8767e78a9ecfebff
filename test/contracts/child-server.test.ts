import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../infra/servers/port.ts';
import { createChildServer } from '../../infra/servers/server.ts';
import { temporaryFolder } from '../servers.ts';

const MEGABYTE = 1_048_576;
let folder = '';
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Starts a shell script that ends at once, and says what the start was rejected with. */
async function startToEnd(logFile: string, script: string): Promise<string> {
  const server = createChildServer({
    name: 'a script',
    command: ['sh', '-c', script],
    logFile,
    workingDirectory: folder,
    port: await freePort(),
    isReady: async () => false,
  });
  return await server.start().then(
    () => 'it started',
    (error: unknown) => String(error),
  );
}

test('of a log of any size the end is shown', async () => {
  const logFile = join(folder, 'long.log');
  const said = await startToEnd(logFile, `truncate -s ${32 * MEGABYTE} '${logFile}'; echo the reason`);
  expect(said).toEndWith('the reason');
  expect(said.length).toBeLessThan(MEGABYTE / 8);
});

test('a log that has become large is put aside at the next start', async () => {
  const logFile = join(folder, 'large.log');
  await writeFile(logFile, 'before\n');
  await startToEnd(logFile, 'echo first');
  expect(await readFile(logFile, 'utf8')).toBe('before\nfirst\n');
  expect(existsSync(`${logFile}.1`)).toBe(false);
  await truncate(logFile, 65 * MEGABYTE);
  await startToEnd(logFile, 'echo second');
  expect(await readFile(logFile, 'utf8')).toBe('second\n');
  expect((await stat(`${logFile}.1`)).size).toBe(65 * MEGABYTE);
});
