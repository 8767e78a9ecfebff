import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { ownEnvironment } from '../../infra/environment.ts';
import { wireGateway } from '../../shared/wiring/distributed.ts';
import { START_LIMIT_MS, useServers } from '../servers.ts';

setDefaultTimeout(60_000);
const SERVERS = [
  'NATS_URL',
  'REDIS_URL',
  'S3_ENDPOINT',
  'S3_ACCESS_KEY',
  'S3_SECRET_KEY',
  'S3_REGION',
] as const;
const setting = useServers('NATS_URL', 'REDIS_URL', 'S3_ENDPOINT');
const before = { ...ownEnvironment() };

beforeAll(() => {
  const own = { COOKIE_SECRET: 'x'.repeat(43), S3_BUCKET: 'wiring-close', LOG_LEVEL: 'silent' };
  Object.assign(ownEnvironment(), own, Object.fromEntries(SERVERS.map((name) => [name, setting(name)])));
}, START_LIMIT_MS);
afterAll(() => {
  for (const name of [...SERVERS, 'COOKIE_SECRET', 'S3_BUCKET', 'LOG_LEVEL']) {
    const { [name]: value } = before;
    if (value === undefined) delete ownEnvironment()[name];
    else ownEnvironment()[name] = value;
  }
});

test('a part that cannot be closed keeps none of the others open', async () => {
  const { deps, close } = await wireGateway();
  await deps.cache.check();
  deps.events.close = () => Promise.reject(new Error('the events stay open'));
  await expect(close()).rejects.toThrow('the events stay open');
  await expect(deps.cache.check()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await expect(deps.bus.check()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});
