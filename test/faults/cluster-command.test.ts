import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ownEnvironment } from '../../infra/environment.ts';
import { type Servers, startServers } from '../../infra/servers/all.ts';
import { freePort } from '../../infra/servers/port.ts';
import { isAlive, processTree } from '../../infra/servers/process-tree.ts';
import { createPage, readRaw, send, statusOf } from './client.ts';
import { until, untilReady } from './waiting.ts';

setDefaultTimeout(120_000);

const SCRIPT = resolve(import.meta.dirname, '../../infra/cluster.ts');

let folder: string;
let servers: Servers;
let env: Record<string, string | undefined>;
let url: string;
let cluster: Bun.Subprocess<'ignore', 'pipe', 'pipe'>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perch-cluster-'));
  await chmod(folder, 0o711);
  // Servers of its own, as the services of two clusters on one NATS would answer for each other.
  servers = await startServers({ use: { NATS_URL: 'nats://started-by-the-cluster' } });
  const port = await freePort();
  // Not where it would answer if it listened on all addresses.
  const host = '127.0.0.2';
  url = `http://${host}:${port}`;
  env = {
    ...ownEnvironment(),
    ...servers.env,
    NATS_URL: '',
    ...(await inFiles({ ...servers.env, COOKIE_SECRET: 'c'.repeat(32) })),
    DATA_DIR: folder,
    PORT: String(port),
    HOST: host,
    BASE_URL: '',
    LIMIT_READS_PER_MINUTE: '0',
  };
  cluster = spawn('--content', '2');
  await untilReady(url);
}, 300_000);
afterAll(async () => {
  if (cluster?.exitCode === null) cluster.kill();
  await cluster?.exited;
  await servers?.stop();
  await rm(folder, { recursive: true, force: true });
}, 300_000);

/** These settings, with the secret ones in files. */
async function inFiles(settings: Record<string, string>): Promise<Record<string, string>> {
  const env: Record<string, string> = {};
  for (const name of ['PG_URL', 'REDIS_URL', 'S3_ACCESS_KEY', 'S3_SECRET_KEY', 'COOKIE_SECRET']) {
    const file = join(folder, name);
    await writeFile(file, `${settings[name]}\n`);
    env[name] = '';
    env[`${name}_FILE`] = file;
  }
  return env;
}

const spawn = (...words: string[]) =>
  Bun.spawn([process.execPath, SCRIPT, ...words], { env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });

async function ask(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  const child = spawn(...words);
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, out, err };
}

/** The rows of the table by process. */
async function status(): Promise<Record<string, { pid: number; state: string; requests: number }>> {
  const { out } = await ask('status');
  const rows = out.trim().split('\n').slice(1);
  return Object.fromEntries(
    rows.map((row) => {
      const [name = '', pid, , state = '', requests = ''] = row.split(/ {2,}/);
      return [name, { pid: Number(pid), state, requests: Number(requests.replaceAll(',', '')) }];
    }),
  );
}

/** The process of the cluster's own NATS server, when it runs. */
async function natsServer(): Promise<number | undefined> {
  for (const pid of processTree(cluster.pid)) {
    const command = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
    if (command.trim() === 'nats-server') return pid;
  }
  return undefined;
}

function kill(pid: number | undefined): void {
  // Zero would be this process and all of its group.
  if (!pid) throw new Error('what was to be killed does not run');
  process.kill(pid, 'SIGKILL');
}

const readable = async (): Promise<boolean> => (await ask('status')).code === 0;

test('it says where it answers, also without BASE_URL', async () => {
  const { value } = await cluster.stdout.getReader().read();
  expect(new TextDecoder().decode(value)).toStartWith(`Perch is ready on ${url}: `);
});

test('the database is brought up to date before any service starts', async () => {
  for (const name of ['content-1', 'content-2', 'kv-1', 'site-1', 'analytics-1']) {
    const log = await readFile(join(folder, 'cluster', `${name}.log`), 'utf8');
    expect(log).not.toContain('migration applied');
  }
});

test('it shows its processes, lets them join and leave, and refuses what it cannot do', async () => {
  await until('it takes commands', readable);
  expect(Object.keys(await status())).toEqual([
    ...['content-1', 'content-2', 'kv-1', 'site-1', 'analytics-1', 'gateway-1'],
  ]);
  expect((await stat(join(folder, 'cluster', 'control.sock'))).mode & 0o777).toBe(0o600);
  const grown = await ask('scale', '--kv', '2', '--gateway', '2');
  expect(grown).toMatchObject({ code: 0, err: '' });
  expect(grown.out).toContain('kv-2');
  expect(grown.out).toContain('gateway-2');
  // New connections to the one port come to both.
  const before = await status();
  for (let n = 0; n < 64; n++) {
    const options = { keepalive: false, headers: { Connection: 'close' } };
    expect((await fetch(`${url}/api/gallery`, options)).status).toBe(200);
  }
  const after = await status();
  for (const name of ['gateway-1', 'gateway-2'])
    expect((after[name]?.requests ?? 0) - (before[name]?.requests ?? 0)).toBeGreaterThan(8);
  // Two callers at once: one after the other, and the last one counts.
  await Promise.all([ask('scale', '--content', '3'), ask('scale', '--content', '3')]);
  const shrunk = await ask('scale', '--content', '1', '--kv', '1', '--gateway', '1');
  expect(shrunk.code).toBe(0);
  const left = await status();
  expect(Object.keys(left)).toEqual(['content-1', 'kv-1', 'site-1', 'analytics-1', 'gateway-1']);
  expect(Object.values(left).map(({ state }) => state)).toEqual(Object.keys(left).map(() => 'ready'));

  expect(await ask('scale', '--kv', '17')).toEqual({
    code: 1,
    out: '',
    err: '--kv wants a number from 1 to 16, not 17\n',
  });
});

test('a second one on its folder is refused, and leaves the first alone', async () => {
  const second = await ask();
  expect(second).toMatchObject({ code: 1, out: '' });
  expect(second.err).toContain(`${join(folder, 'cluster')} is in use by another Perch process`);
  expect(Object.values(await status()).map(({ state }) => state)).not.toContain('not ready');
});

test('another cluster is refused on its port', async () => {
  const elsewhere = await mkdtemp(join(folder, 'other-'));
  const other = Bun.spawn([process.execPath, SCRIPT], {
    env: { ...env, DATA_DIR: elsewhere },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  });
  const [said, code] = await Promise.all([other.stderr.text(), other.exited]);
  expect(said).toContain('is in use: set PORT to another one');
  expect(code).toBe(1);
});

test('a server that it has started and that was killed is started again', async () => {
  const before = await natsServer();
  kill(before);
  await until('it is another one', async () => {
    const now = await natsServer();
    return now !== undefined && now !== before;
  });
  await untilReady(url);
});

test('a process that was killed is started again', async () => {
  const before = (await status())['kv-1'];
  kill(before?.pid);
  await until('it is another one', async () => {
    const now = (await status())['kv-1'];
    return now?.state === 'ready' && now.pid !== before?.pid;
  });
});

test('SIGTERM stops all of it, and then there is nobody to ask', async () => {
  expect(statusOf(await createPage(url, { id: 'kept', content: '<p>kept' }))).toBe(201);
  expect(statusOf(await readRaw(url, '/faults/kept'))).toBe(200);
  const pids = Object.values(await status()).map(({ pid }) => pid);
  cluster.kill('SIGTERM');
  expect(await cluster.exited).toBe(0);
  expect(pids.filter(isAlive)).toEqual([]);
  expect((await send(`${url}/healthz`)).answered).toBe(false);
  const nobody = await ask('status');
  expect(nobody.code).toBe(1);
  expect(nobody.err).toContain('no cluster runs with its data in');
});
