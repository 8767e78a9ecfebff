import { expect, test } from 'bun:test';
import { createRedisClient, hasFailover } from '../../shared/adapters/cache/redis-client.ts';

test.each([
  ['redis://127.0.0.1:6379', false],
  ['rediss://127.0.0.1:6379/2', false],
  ['redis+sentinel://127.0.0.1:26379/perch', true],
  ['redis+cluster://127.0.0.1:6379', true],
])('of %s it is known whether another server takes over', (url, expected) => {
  const redis = createRedisClient(url, {});
  expect(hasFailover(redis)).toBe(expected);
  redis.disconnect();
});
