import { afterAll, beforeAll, expect, test } from 'bun:test';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, loadConfig } from '../../shared/config.ts';

let dir = '';
const file = (name: string): string => join(dir, name);

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'perch-secret-files-'));
  await Promise.all([
    writeFile(file('cookie'), `${'c'.repeat(32)}\n`),
    writeFile(file('short'), 'c'.repeat(31)),
    writeFile(file('admin'), '  twelve chars '),
    writeFile(file('pg'), 'postgres://perch:pass@db:5432/perch\n'),
    writeFile(file('empty'), '\n'),
    writeFile(file('at-limit'), 'x'.repeat(65_536)),
    writeFile(file('over-limit'), 'x'.repeat(65_537)),
    mkdir(file('folder')),
  ]);
  // As Kubernetes mounts them.
  await symlink(file('cookie'), file('link'));
});

afterAll(async () => {
  await chmod(dir, 0o700);
  await rm(dir, { recursive: true });
});

const faultsOf = (env: Record<string, string>, required: string[] = []): string => {
  try {
    loadConfig(env, required);
    return '';
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
};

test('a secret comes from the file that its variable with _FILE names, without the end of its line', () => {
  const config = loadConfig({
    COOKIE_SECRET_FILE: file('cookie'),
    ADMIN_PASSWORD_FILE: file('admin'),
    PG_URL_FILE: file('pg'),
  });
  expect(config.cookieSecret).toBe('c'.repeat(32));
  expect(config.adminPassword).toBe('twelve chars');
  expect(config.pgUrl).toBe('postgres://perch:pass@db:5432/perch');
  expect(loadConfig({ COOKIE_SECRET_FILE: file('link') }).cookieSecret).toBe('c'.repeat(32));
});

test('a required secret may be in a file, and is checked like any other', () => {
  expect(faultsOf({ COOKIE_SECRET_FILE: file('cookie') }, ['COOKIE_SECRET'])).toBe('');
  expect(faultsOf({ COOKIE_SECRET_FILE: file('short') })).toContain('COOKIE_SECRET is (hidden)');
  expect(faultsOf({ NATS_URL_FILE: file('pg') })).toContain('NATS_URL is (hidden)');
});

test('an empty _FILE variable names no file', () => {
  expect(loadConfig({ ADMIN_PASSWORD_FILE: ' ' }).adminPassword).toBeNull();
});

test('a file up to 64 KB is read', () => {
  expect(loadConfig({ COOKIE_SECRET_FILE: file('at-limit') }).cookieSecret).toHaveLength(65_536);
});

for (const name of ['missing', 'empty', 'folder', 'over-limit']) {
  test(`what is no file with a secret in it stops the start: ${name}`, () => {
    const message = faultsOf({ COOKIE_SECRET_FILE: file(name) });
    expect(message).toContain('COOKIE_SECRET_FILE');
    expect(message).toContain('a file that can be read and is not empty');
    expect(message.split('\n')).toHaveLength(2);
  });
}

test('a value and a file for it are one too many', () => {
  const message = faultsOf({ COOKIE_SECRET: 'd'.repeat(32), COOKIE_SECRET_FILE: file('cookie') });
  expect(message).toContain('COOKIE_SECRET_FILE');
  expect(message).toContain('because COOKIE_SECRET is set');
  expect(message).not.toContain('dddd');
});

test('only secrets come from files', () => {
  const config = loadConfig({ LOG_LEVEL_FILE: file('cookie'), S3_BUCKET_FILE: file('cookie') });
  expect(config.logLevel).toBe('info');
});
