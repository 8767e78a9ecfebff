import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startNats } from '../../infra/servers/nats.ts';
import { freePort } from '../../infra/servers/port.ts';
import { startToFail } from '../acceptance/support/failing-start.ts';
import { START_LIMIT_MS, startOwn, temporaryFolder, useServers } from '../servers.ts';

setDefaultTimeout(150_000);

const SECRET = 'hunter2';
const USERS = ['gateway', 'content', 'kv', 'site', 'analytics'];
const setting = useServers('REDIS_URL', 'NATS_URL', 'PG_URL');
let nats: Awaited<ReturnType<typeof startOwn<Awaited<ReturnType<typeof startNats>>>>>;
let folder = '';
let closedPort = 0;

beforeAll(async () => {
  folder = await temporaryFolder();
  closedPort = await freePort();
  const passwords = USERS.map((user) => [`NATS_${user.toUpperCase()}_PASSWORD`, `of-${user}`]);
  nats = await startOwn(({ dir }) => startNats({ dir, passwords: Object.fromEntries(passwords) }));
}, START_LIMIT_MS);
afterAll(async () => {
  await nats?.end();
  await rm(folder, { recursive: true, force: true });
}, START_LIMIT_MS);

/** The address of a server with other parts. */
function changed(url: string, parts: { user?: string; path?: string; port?: number }): string {
  const address = new URL(url);
  if (parts.user !== undefined) [address.username, address.password] = [parts.user, SECRET];
  if (parts.path !== undefined) address.pathname = parts.path;
  if (parts.port !== undefined) address.port = String(parts.port);
  return address.href;
}

const NOBODY = { user: 'nobody' };
const redis = (parts: Parameters<typeof changed>[1]): string => changed(setting('REDIS_URL'), parts);
const several = (url: string, kind: string): string => url.replace('redis:', `redis+${kind}:`);

test.each<[what: string, expected: RegExp, env: () => Record<string, string>]>([
  [
    'a Redis that is away',
    /^REDIS_URL: Redis cannot be used \(.*ECONNREFUSED/,
    () => ({ REDIS_URL: redis({ ...NOBODY, port: closedPort }) }),
  ],
  [
    'a wrong user of Redis',
    /^REDIS_URL: Redis cannot be used \(WRONGPASS/,
    () => ({ REDIS_URL: redis(NOBODY) }),
  ],
  [
    'a Redis without a database of this number',
    /^REDIS_URL: Redis cannot be used \(ERR DB index is out of range\)/,
    () => ({ REDIS_URL: redis({ path: '/9999' }) }),
  ],
  [
    'sentinels that are away',
    /^REDIS_URL: Redis cannot be used \(.*All sentinels are unreachable/,
    () => ({ REDIS_URL: several(redis({ ...NOBODY, port: closedPort, path: '/primary' }), 'sentinel') }),
  ],
  [
    'a wrong user of a Redis cluster',
    /^REDIS_URL: Redis cannot be used \(.*WRONGPASS/,
    () => ({ REDIS_URL: several(redis(NOBODY), 'cluster') }),
  ],
  [
    'a host of NATS that is none',
    /^NATS_URL: NATS cannot be used \(.*ENOTFOUND nowhere\.invalid/,
    () => ({ NATS_URL: `nats://nobody:${SECRET}@nowhere.invalid` }),
  ],
  [
    'a NATS that is away',
    /^NATS_URL: NATS cannot be used \(CONNECTION_REFUSED\)/,
    () => ({ NATS_URL: `nats://nobody:${SECRET}@127.0.0.1:${closedPort}` }),
  ],
  [
    'a wrong password of NATS',
    /^NATS_URL: NATS cannot be used \('Authorization Violation'\)/,
    () => ({ NATS_URL: changed(nats.url, { user: 'gateway' }) }),
  ],
  [
    'a PostgreSQL that is away',
    /^PG_URL: PostgreSQL cannot be used \(.*ECONNREFUSED/,
    () => ({ PG_URL: changed(setting('PG_URL'), { ...NOBODY, port: closedPort }) }),
  ],
  [
    'a PostgreSQL without this database',
    /^PG_URL: PostgreSQL cannot be used \(database "nowhere" does not exist\)/,
    () => ({ PG_URL: changed(setting('PG_URL'), { path: '/nowhere' }) }),
  ],
  [
    'an S3 server that is away',
    /^S3_ENDPOINT: the S3 server cannot be used \(.*ECONNREFUSED/,
    () => ({
      S3_ENDPOINT: `http://127.0.0.1:${closedPort}`,
      S3_ACCESS_KEY: 'nobody',
      S3_SECRET_KEY: SECRET,
    }),
  ],
])('a start names the setting of %s, with the reason, and no password', async (_what, expected, env) => {
  const { exitCode, output } = await startToFail('embedded', {
    ...env(),
    DATA_DIR: join(folder, 'data'),
    LOG_LEVEL: 'fatal',
  });
  expect(output).toMatch(expected);
  expect(exitCode).toBe(1);
  expect(output).not.toContain(SECRET);
});

test('so do the processes of the distributed mode', async () => {
  const away = `127.0.0.1:${closedPort}`;
  const env = {
    REDIS_URL: setting('REDIS_URL'),
    NATS_URL: setting('NATS_URL'),
    S3_ENDPOINT: `http://${away}`,
    S3_ACCESS_KEY: 'nobody',
    S3_SECRET_KEY: SECRET,
    COOKIE_SECRET: SECRET.repeat(8),
    LOG_LEVEL: 'fatal',
  };
  const gateway = await startToFail('gateway', env);
  expect(gateway.output).toMatch(/^S3_ENDPOINT: the S3 server cannot be used \(.*ECONNREFUSED/);
  const content = await startToFail('content', { ...env, PG_URL: `postgres://${away}/perch` });
  expect(content.output).toMatch(/^PG_URL: PostgreSQL cannot be used \(.*ECONNREFUSED/);
});
