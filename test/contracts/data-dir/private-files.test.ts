import { afterEach, beforeEach, expect, test } from 'bun:test';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readOrMakeSecret } from '../../../shared/adapters/data-dir/private-files.ts';
import { temporaryFolder } from '../../servers.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  file = join(folder, 'secret');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('a secret is made once, of 32 bytes, and only its owner can read it', async () => {
  const secret = await readOrMakeSecret(file);
  expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readOrMakeSecret(file)).toBe(secret);
  expect(await readdir(folder)).toEqual(['secret']);
});

test('two files have two secrets', async () => {
  expect(await readOrMakeSecret(file)).not.toBe(await readOrMakeSecret(join(folder, 'other')));
});

test.each(['', '\n'])('a file with %j is no secret: a new one takes its place', async (text) => {
  await writeFile(file, text);
  const secret = await readOrMakeSecret(file);
  expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
  expect((await readFile(file, 'utf8')).trim()).toBe(secret);
});

test('a secret of the operator may have as few characters as COOKIE_SECRET', async () => {
  await writeFile(file, `${'c'.repeat(32)}\n`);
  expect(await readOrMakeSecret(file)).toBe('c'.repeat(32));
});

test('a file with too few characters for a secret is refused and kept', async () => {
  const text = `${'c'.repeat(31)}\n`;
  await writeFile(file, text);
  await expect(readOrMakeSecret(file)).rejects.toThrow(`${file} holds 31 characters`);
  expect(await readFile(file, 'utf8')).toBe(text);
});

test('what a crash left half written does not matter', async () => {
  await writeFile(`${file}.new`, 'ha');
  const secret = await readOrMakeSecret(file);
  expect(await readOrMakeSecret(file)).toBe(secret);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('a file that cannot be read is an error, not a new secret', async () => {
  await expect(readOrMakeSecret(folder)).rejects.toThrow();
});
