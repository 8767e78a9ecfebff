import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Redis } from 'ioredis';
import { ownEnvironment } from '../../infra/environment.ts';
import { commandPath, ensureCommands } from '../../infra/servers/debian.ts';
import { freePort } from '../../infra/servers/port.ts';
import {
  areAcquainted,
  askRedis,
  primaryKnownTo,
  type RedisAddress,
} from '../../infra/servers/redis-sentinel.ts';
import { until } from '../../infra/until.ts';
import { HA_MANIFESTS } from './kubernetes-ha.ts';

// The scripts that the containers of infra/k8s-ha run, each on a loopback address of its own in place of a pod's name.

const MEMBERS = ['127.0.0.2', '127.0.0.3'];
const SENTINELS = ['127.0.0.2', '127.0.0.3', '127.0.0.4'];
let password = 'd0a1b2c3e4f5';
const LIMIT_MS = 240_000;
const PATIENCE_MS = 90_000;

interface Pod {
  start(): void;
  kill(): Promise<void>;
  /** Takes its volume away. */
  forget(): Promise<void>;
}

let dir = '';
let redisPort = 0;
let sentinelPort = 0;
const members: Pod[] = [];
const sentinels: Pod[] = [];

function pod(script: string, host: string): Pod {
  const folder = join(dir, `${script}-${host}`);
  let running: Bun.Subprocess | null = null;
  return {
    start() {
      running = Bun.spawn({
        cmd: [
          commandPath('setpriv'),
          '--pdeathsig',
          'KILL',
          'sh',
          join(HA_MANIFESTS, script),
          '--bind',
          host,
        ],
        env: {
          ...ownEnvironment(),
          HOST: host,
          REDIS_HOSTS: MEMBERS.join(' '),
          SENTINEL_HOSTS: SENTINELS.join(' '),
          REDIS_PORT: String(redisPort),
          SENTINEL_PORT: String(sentinelPort),
          CONF: resolve(HA_MANIFESTS, '../redis.conf'),
          DATA: folder,
          REDIS_PASSWORD: password,
        },
        stdout: Bun.file(join(folder, 'log')),
        stderr: 'inherit',
      });
    },
    async kill() {
      running?.kill('SIGKILL');
      await running?.exited;
    },
    async forget() {
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder, { recursive: true });
    },
  };
}

const at = (host: string, port: number): RedisAddress => ({ host, port, password });
const ask = <Answer>(host: string, question: (redis: Redis) => Promise<Answer>): Promise<Answer | null> =>
  askRedis(at(host, redisPort), question, 2_000);
const allSentinels = (): RedisAddress[] => SENTINELS.map((host) => at(host, sentinelPort));

/** The primary that all sentinels name; `null` while they differ. */
async function primary(): Promise<string | null> {
  const named = (await Promise.all(allSentinels().map(primaryKnownTo))).map((known) => known?.host ?? null);
  const [first = null] = named;
  return named.every((name) => name === first) ? first : null;
}

const areReady = (): Promise<boolean> => areAcquainted(allSentinels());

const follows = async (host: string, whom: string): Promise<boolean> => {
  const info = (await ask(host, (redis) => redis.info('replication'))) ?? '';
  return info.includes(`master_host:${whom}\r`) && info.includes('master_link_status:up');
};

const read = (host: string): Promise<string | null> => ask(host, (redis) => redis.get('key'));

beforeAll(async () => {
  await ensureCommands(['redis-server', 'setpriv']);
  dir = await mkdtemp(join(tmpdir(), 'perch-pods-'));
  [redisPort, sentinelPort] = [await freePort(), await freePort()];
  members.push(...MEMBERS.map((host) => pod('redis-member.sh', host)));
  sentinels.push(...SENTINELS.map((host) => pod('redis-sentinel.sh', host)));
  for (const one of [...members, ...sentinels]) await one.forget();
  for (const one of [...members, ...sentinels]) one.start();
}, LIMIT_MS);

afterAll(async () => {
  await Promise.all([...members, ...sentinels].map((one) => one.kill()));
  await rm(dir, { recursive: true, force: true });
});

test(
  'the replica takes over from a primary that dies, which follows it when it comes back, on an empty volume, too',
  async () => {
    const [first = '', second = ''] = MEMBERS;
    await until('the sentinels know all', areReady, PATIENCE_MS);
    expect(await primary()).toBe(first);
    await until('the second follows', () => follows(second, first), PATIENCE_MS);
    expect(await ask(first, (redis) => redis.set('key', 'kept'))).toBe('OK');
    await until('it has the key', async () => (await read(second)) === 'kept', PATIENCE_MS);

    await members[0]?.kill();
    await until('the second is the primary', async () => (await primary()) === second, PATIENCE_MS);
    expect(await ask(second, (redis) => redis.set('key', 'changed'))).toBe('OK');

    await members[0]?.forget();
    members[0]?.start();
    await until('the first follows', () => follows(first, second), PATIENCE_MS);
    expect(await read(first)).toBe('changed');
    expect(await primary()).toBe(second);
  },
  LIMIT_MS,
);

test(
  'with another password all start again, and the earlier one opens nothing',
  async () => {
    const [first = '', second = ''] = MEMBERS;
    const earlier = password;
    await Promise.all([...members, ...sentinels].map((one) => one.kill()));
    password = 'e5f4c3b2a1d0';
    for (const one of [...members, ...sentinels]) one.start();
    await until('the sentinels know all', areReady, PATIENCE_MS);
    await until('the first follows', () => follows(first, second), PATIENCE_MS);
    expect(await read(second)).toBe('changed');
    for (const port of [redisPort, sentinelPort]) {
      const late = new Redis({
        host: second,
        port,
        password: earlier,
        lazyConnect: true,
        retryStrategy: () => null,
      });
      late.on('error', () => undefined);
      await expect(late.call('CLIENT', 'LIST')).rejects.toThrow();
      late.disconnect();
    }
  },
  LIMIT_MS,
);

test(
  'all of them come back as they were when all have died, and without the password nobody gets in',
  async () => {
    const [first = '', second = ''] = MEMBERS;
    await Promise.all([...members, ...sentinels].map((one) => one.kill()));
    for (const one of [...members, ...sentinels]) one.start();
    await until('the sentinels know all', areReady, PATIENCE_MS);
    await until('the first follows', () => follows(first, second), PATIENCE_MS);
    expect([await primary(), await read(first), await read(second)]).toEqual([second, 'changed', 'changed']);
    for (const port of [redisPort, sentinelPort]) {
      const stranger = new Redis({ host: second, port, lazyConnect: true, retryStrategy: () => null });
      stranger.on('error', () => undefined);
      await expect(stranger.call('CLIENT', 'LIST')).rejects.toThrow('NOAUTH');
      stranger.disconnect();
    }
  },
  LIMIT_MS,
);
