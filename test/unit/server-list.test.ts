import { expect, test } from 'bun:test';
import { ConfigError, loadConfig } from '../../shared/config.ts';
import { parseServerList } from '../../shared/server-list.ts';

test('a list of servers is read in each of its forms', () => {
  const short = parseServerList(
    'postgres://u:p%2C@a:5432,b,[::1]:5433/perch?target_session_attrs=read-write',
  );
  expect(short).toMatchObject({ protocol: 'postgres:', username: 'u', password: 'p%2C', path: 'perch' });
  expect(short?.servers).toEqual([
    { host: 'a', port: 5432 },
    { host: 'b', port: null },
    { host: '::1', port: 5433 },
  ]);
  expect(short?.query.get('target_session_attrs')).toBe('read-write');
  const whole = parseServerList('nats://u:p@a:4222,nats://u:p@b:4222');
  expect(whole).toMatchObject({ username: 'u', password: 'p', path: '' });
  expect(whole?.servers.map(({ host }) => host)).toEqual(['a', 'b']);
});

for (const text of [
  '',
  'nats',
  'nats://',
  'nats://a,',
  'nats://a,,b',
  'nats://a:70000',
  'nats://a:x,b',
  'nats://,a',
]) {
  test(`"${text}" is no list of servers`, () => expect(parseServerList(text)).toBeNull());
}

const issueOf = (env: Record<string, string>): string => {
  try {
    loadConfig(env);
    return '';
  } catch (error) {
    return error instanceof ConfigError ? error.message : String(error);
  }
};

for (const env of [
  { NATS_URL: 'nats://a:4222,b:4222' },
  { NATS_STREAM_REPLICAS: '3' },
  { PG_URL: 'postgres://u:p@a,b:5433/perch?target_session_attrs=read-write' },
  { PG_URL: 'postgresql:///perch' },
  { REDIS_URL: 'redis+sentinel://:p@a:26379,b:26379,c:26379/primary' },
  { REDIS_URL: 'rediss+cluster://:p@a:6379,b:6379' },
  { REDIS_URL: 'redis://:p@a:6379/15' },
  { REDIS_URL: 'redis+sentinel://:p@a/primary?db=15' },
  { CLAMD_URL: 'unix:///run/clamav/clamd.ctl' },
  { CLAMD_URL: 'tcp://clamd:3310' },
  { PG_URL: 'postgres://u:p%23%2F%25@a/perch' },
]) {
  test(`${JSON.stringify(env)} is taken`, () => expect(issueOf(env)).toBe(''));
}

for (const [env, wants] of [
  [{ NATS_URL: 'http://a,b' }, 'starts with nats://'],
  [{ PG_URL: 'postgres' }, 'starts with postgres://'],
  [{ PG_URL: 'postgres://u:secret@127.0.0.1:99999/perch' }, 'a valid host and port'],
  [{ PG_URL: 'postgres://u:se#secret@127.0.0.1/perch' }, 'percent-encoded'],
  [{ PG_URL: 'postgres://u:se/secret@127.0.0.1/perch' }, 'percent-encoded'],
  [{ PG_URL: 'postgres://u:secret%@127.0.0.1/perch' }, 'percent-encoded'],
  [{ REDIS_URL: 'redis://:secret@127.0.0.1:99999' }, 'a valid host and port'],
  [{ REDIS_URL: 'redis+sentinel://:secret@a/%' }, 'percent-encoded'],
  [{ NATS_URL: 'nats://%:secret@a,b' }, 'percent-encoded'],
  [{ SMTP_URL: 'smtp://u:se#secret@mail.example.org' }, 'percent-encoded'],
  [{ BASE_URL: 'http://localhost:99999' }, 'a valid host and port'],
  [{ BASE_URL: 'localhost:8080' }, 'starts with http://'],
  [{ CLAMD_URL: 'unix://run/clamav/clamd.ctl' }, 'unix:///path'],
  [{ NATS_STREAM_REPLICAS: '0' }, 'from 1 to 5'],
  [{ PG_URL: 'postgres://a,b/perch?target_session_attrs=any' }, 'read-write'],
  [{ REDIS_URL: 'redis://:secret@a,b' }, 'redis+sentinel://'],
  [{ REDIS_URL: 'redis+sentinel://:secret@a,b' }, 'the name of the primary'],
  [{ REDIS_URL: 'redis+cluster://a,b/1' }, 'no database'],
  [{ REDIS_URL: 'redis://:secret@a/perch' }, 'a number as its database'],
  [{ REDIS_URL: 'redis://:secret@a?db=-1' }, 'a number as its database'],
  [{ REDIS_URL: 'redis+sentinel://:secret@a,b/primary?db=perch' }, 'a number as its database'],
] as const) {
  test(`${JSON.stringify(env)} is refused, and why is said`, () => {
    expect(issueOf(env)).toContain(wants);
    expect(issueOf(env)).not.toContain('secret');
  });
}
