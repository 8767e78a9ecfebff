import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ownEnvironment } from '../../infra/environment.ts';
import { startToFail } from './support/failing-start.ts';
import { usePerch } from './support/perch.ts';

// Starts are slow on a busy machine, also those that give up.
setDefaultTimeout(150_000);

const MAIN = '../../services/embedded/main.ts';
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perch-start-'));
  // The database server runs as a user of its own and must get in, else its data goes elsewhere and stays there.
  await chmod(folder, 0o755);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const WRONG: Array<[name: string, ...values: string[]]> = [
  ['PORT', 'abc', '65536', '-1', '80.5'],
  ['BASE_URL', 'not an address', 'ftp://perch.example', 'http://perch.example/path'],
  [
    'CONTENT_BASE_URL',
    'perch.example',
    'http://user@perch.example',
    'https://perch.example/?a',
    'https://a.*.perch.example',
  ],
  ['ALLOW_RELATED_CONTENT_HOST', 'maybe', '2'],
  ['DRAIN_SECONDS', '-1', '301', '1.5', 'soon'],
  ['TRUST_PROXY', 'yes', '-1', '1000'],
  ['SHOW_TOP_BAR_DEFAULT', 'maybe', '2'],
  ['LIMIT_UPLOADS_PER_HOUR', '-1', 'none'],
  ['LIMIT_READS_PER_MINUTE', '1.5', '1e3'],
  ['LIMIT_CHANGES_PER_HOUR', 'unlimited', '0x10'],
  ['LIMIT_OWNER_TOKENS_PER_MINUTE', 'many', '-1'],
  ['LIMIT_PREVIEWS_PER_MINUTE', 'some', '-1'],
  ['TTL_DAY_SECONDS', '0', '86401'],
  ['SWEEP_INTERVAL_SECONDS', '0', '-5'],
  ['BLOB_GRACE_SECONDS', '1', 'long'],
  ['CACHE_MAX_BYTES', '128MB', '-1'],
  ['LOG_MAX_BYTES_PER_DAY', '10GB', '-1'],
  ['LOG_LEVEL', 'loud', 'INFO!'],
];

const SECRET = 'hunter2';
const WRONG_SECRETS: Record<string, string> = {
  COOKIE_SECRET: SECRET,
  PG_URL: `mysql://user:${SECRET}@127.0.0.1/perch`,
  REDIS_URL: `http://:${SECRET}@127.0.0.1`,
  NATS_URL: `${SECRET}@127.0.0.1`,
  S3_ENDPOINT: `s3://key:${SECRET}@127.0.0.1`,
};

describe('a start with wrong settings ends and says which', () => {
  for (const round of [0, 1, 2, 3]) {
    test(`all of them at once (${round + 1})`, async () => {
      const settings = WRONG.flatMap(([name, ...values]) => {
        const value = values[round];
        return value === undefined ? [] : [[name, value] as const];
      });
      const env = { DATA_DIR: folder, ...Object.fromEntries(settings) };
      const { exitCode, output } = await startToFail('embedded', env);
      expect(exitCode).toBeGreaterThan(0);
      for (const [name, value] of settings) {
        const line = output.split('\n').find((text) => text.includes(`${name} `)) ?? '(no line)';
        expect([name, line]).toEqual([name, expect.stringContaining(name)]);
        if (!name.endsWith('URL')) expect(line).toContain(value);
      }
    });
  }

  test('one alone, and no other is blamed', async () => {
    const { exitCode, output } = await startToFail('embedded', { DATA_DIR: folder, TRUST_PROXY: 'yes' });
    expect(exitCode).toBeGreaterThan(0);
    expect(output).toContain('TRUST_PROXY');
    for (const [name] of WRONG) if (name !== 'TRUST_PROXY') expect(output).not.toContain(name);
  });

  test('without printing secrets', async () => {
    const { exitCode, output } = await startToFail('embedded', { DATA_DIR: folder, ...WRONG_SECRETS });
    expect(exitCode).toBeGreaterThan(0);
    for (const name of Object.keys(WRONG_SECRETS)) expect(output).toContain(name);
    expect(output).not.toContain(SECRET);
  });

  test('an S3 endpoint without its keys', async () => {
    const env = { DATA_DIR: folder, S3_ENDPOINT: 'http://127.0.0.1:1' };
    const { exitCode, output } = await startToFail('embedded', env);
    expect(exitCode).toBeGreaterThan(0);
    for (const name of ['S3_ACCESS_KEY', 'S3_SECRET_KEY']) expect(output).toContain(name);
  });

  for (const service of ['gateway', 'content'] as const) {
    test(`${service} without the servers it needs`, async () => {
      const { exitCode, output } = await startToFail(service, {});
      expect(exitCode).toBeGreaterThan(0);
      for (const name of ['REDIS_URL', 'NATS_URL', 'S3_ENDPOINT']) expect(output).toContain(name);
      expect(output.includes('PG_URL')).toBe(service === 'content');
      // Signing is the gateways' business.
      expect(output.includes('COOKIE_SECRET')).toBe(service === 'gateway');
    });
  }
});

describe('embedded', () => {
  const perch = usePerch({ mode: 'embedded' });

  test('a second process on the same data folder is refused, the first goes on', async () => {
    const page = await perch.publish('<p>mine');
    const { exitCode, output } = await startToFail('embedded', { DATA_DIR: perch.instance.dir });
    expect(exitCode).toBeGreaterThan(0);
    expect(output).toContain(perch.instance.dir);
    expect(output).toMatch(/in use|another/i);
    expect(output).not.toMatch(/^\s+at /m);
    expect(await (await perch.read(page)).text()).toEndWith('<p>mine');
    expect((await perch.publish('<p>more')).namespace).toBe('public');
  });

  test('a data folder that is none is named', async () => {
    const file = join(folder, 'a-file');
    await writeFile(file, 'x');
    const { exitCode, output } = await startToFail('embedded', { DATA_DIR: file });
    expect(exitCode).toBeGreaterThan(0);
    expect(output).toContain(file);
  });

  test('a port that is taken is named, before anything is made', async () => {
    const { port } = new URL(perch.url);
    const dir = join(folder, 'data');
    const { exitCode, output } = await startToFail('embedded', { DATA_DIR: dir, PORT: port });
    expect(exitCode).toBeGreaterThan(0);
    expect(output).toContain(`PORT ${port} is in use`);
    expect(existsSync(dir)).toBe(false);
  });

  test('a blocklist of links that leads nowhere is named', async () => {
    const list = join(folder, 'no-list');
    const { exitCode, output } = await startToFail('embedded', {
      DATA_DIR: join(folder, 'data'),
      LINK_BLOCKLIST: list,
    });
    expect(exitCode).toBeGreaterThan(0);
    expect(output).toContain(`LINK_BLOCKLIST is ${list}; it wants a file that can be read (ENOENT`);
  });

  test('a folder for uploads that cannot be made is named', async () => {
    const { exitCode, output } = await startToFail('embedded', {
      DATA_DIR: join(folder, 'data'),
      UPLOAD_DIR: '/proc/uploads',
      LOG_LEVEL: 'fatal',
    });
    expect(exitCode).toBeGreaterThan(0);
    expect(output).toMatch(/^UPLOAD_DIR \/proc\/uploads cannot be used.*\(ENOENT/);
  });

  test('the port that the system has chosen is told', async () => {
    const { PATH, HOME } = ownEnvironment();
    const settings = { HOST: '127.0.0.1', PORT: '0', DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'fatal' };
    const child = Bun.spawn([process.execPath, resolve(import.meta.dirname, MAIN)], {
      env: { PATH, HOME, ...settings },
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'pipe',
    });
    const { value } = await child.stderr.getReader().read();
    const port = /ready on http:\/\/localhost:(\d+):/.exec(new TextDecoder().decode(value))?.[1];
    const status = await fetch(`http://127.0.0.1:${port}/healthz`).then(
      (answer) => answer.status,
      (error: unknown) => String(error),
    );
    child.kill('SIGTERM');
    expect(await child.exited).toBe(0);
    expect(status).toBe(200);
  });

  test('an address of another machine is named', async () => {
    const { exitCode, output } = await startToFail('embedded', {
      DATA_DIR: join(folder, 'data'),
      HOST: '192.0.2.7',
    });
    expect(exitCode).toBeGreaterThan(0);
    expect(output).toContain('HOST 192.0.2.7 is no address of this machine');
  });
});
