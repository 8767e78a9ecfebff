import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '../../infra/cluster/settings.ts';
import { urlOf } from '../../infra/service-process.ts';
import { loadConfig } from '../../shared/config.ts';
import { SECRET_SETTINGS } from '../../shared/secret-files.ts';

const COOKIE_SECRET = 'c'.repeat(32);
const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 'w').toString('base64')}`;

let dir = '';

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'perch-cluster-settings-'));
});
afterAll(() => rm(dir, { recursive: true }));

async function fileWith(secret: string): Promise<string> {
  const path = join(dir, crypto.randomUUID());
  await writeFile(path, `${secret}\n`);
  return path;
}

test('what is blank counts as unset', () => {
  const blank = { PORT: '', HOST: ' ', BASE_URL: '', UPLOAD_DIR: '', COOKIE_SECRET: '', NATS_URL: ' ' };
  const { config, servers, env } = readSettings(blank, dir);
  expect(config).toMatchObject({ port: 8080, host: '0.0.0.0', cookieSecret: null });
  expect(servers.NATS_URL).toBe('');
  expect(env).toMatchObject({ BASE_URL: '', UPLOAD_DIR: join(dir, 'uploads') });
});

test.each([
  [{}, null],
  [{ BASE_URL: 'https://perch.example/' }, 'https://perch.example'],
  [{ CONTENT_BASE_URL: 'http://pages.test:8080' }, 'http://localhost:8080'],
])('with %p the services begin links with %p', (environment, baseUrl) => {
  const { env } = readSettings(environment, dir);
  expect(loadConfig({ ...environment, PORT: '9999', ...env }).baseUrl).toBe(baseUrl);
});

test('secrets in files are read once, and the services get values alone', async () => {
  const { config, servers, env } = readSettings(
    {
      COOKIE_SECRET_FILE: await fileWith(COOKIE_SECRET),
      ADMIN_PASSWORD_FILE: await fileWith('twelve chars'),
      PG_URL_FILE: await fileWith('postgres://db.example/perch'),
      S3_ENDPOINT: 'https://s3.example',
      S3_ACCESS_KEY_FILE: await fileWith('key'),
      S3_SECRET_KEY: 'secret',
    },
    dir,
  );
  expect(config.cookieSecret).toBe(COOKIE_SECRET);
  expect(servers).toMatchObject({
    PG_URL: 'postgres://db.example/perch',
    S3_ACCESS_KEY: 'key',
    S3_SECRET_KEY: 'secret',
  });
  expect(env).toMatchObject({
    ADMIN_PASSWORD: 'twelve chars',
    COOKIE_SECRET_FILE: '',
    ADMIN_PASSWORD_FILE: '',
    PG_URL_FILE: '',
    REDIS_URL_FILE: '',
    NATS_URL_FILE: '',
    S3_ACCESS_KEY_FILE: '',
    S3_SECRET_KEY_FILE: '',
  });
});

test.each(SECRET_SETTINGS.filter((name) => !name.startsWith('S3_') && !name.endsWith('_URL')))(
  'the services get the value of %s from its file',
  async (name) => {
    const value = name === 'WEBHOOK_SECRET' ? WEBHOOK_SECRET : COOKIE_SECRET;
    const hook = name === 'WEBHOOK_SECRET' ? { WEBHOOK_URL: 'https://hooks.example/perch' } : {};
    const { config, env } = readSettings({ ...hook, [`${name}_FILE`]: await fileWith(value) }, dir);
    expect(env[`${name}_FILE`]).toBe('');
    // The cookies' secret goes to them besides.
    expect(name === 'COOKIE_SECRET' ? config.cookieSecret : env[name]).toBe(value);
  },
);

test('the services get the address of the mail server from its file', async () => {
  const smtpUrl = 'smtp://perch:secret@mail.example:587';
  const mail = { EMAIL_TO: 'operator@example.org', EMAIL_FROM: 'perch@example.org' };
  const { env } = readSettings({ ...mail, SMTP_URL_FILE: await fileWith(smtpUrl) }, dir);
  expect(env).toMatchObject({ SMTP_URL: smtpUrl, SMTP_URL_FILE: '' });
});

test('a wrong setting is named', () => {
  expect(() => readSettings({ PORT: 'http' }, dir)).toThrow('PORT is http');
  expect(() => readSettings({ COOKIE_SECRET, COOKIE_SECRET_FILE: join(dir, 'none') }, dir)).toThrow(
    'because COOKIE_SECRET is set',
  );
});

test.each([
  ['0.0.0.0', 'http://127.0.0.1:80'],
  ['::', 'http://127.0.0.1:80'],
  ['[::]', 'http://127.0.0.1:80'],
  ['192.168.1.5', 'http://192.168.1.5:80'],
  ['::1', 'http://[::1]:80'],
  ['[::1]', 'http://[::1]:80'],
  ['perch.example', 'http://perch.example:80'],
])('what listens on %s is reached at %s', (host, url) => {
  expect(urlOf(host, 80)).toBe(url);
});
