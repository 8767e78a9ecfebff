import type { ServerList } from '../server-list.ts';
import type { SettingReader } from './setting-reader.ts';

/** Where a Perch keeps its data. */
export interface StoreSettings {
  dataDir: string;
  /** `null`: embedded mode makes one and keeps it in DATA_DIR. */
  cookieSecret: string | null;
  pgUrl: string | null;
  redisUrl: string | null;
  s3: S3Config | null;
}

export interface S3Config {
  endpoint: string;
  accessKey: string;
  secretKey: string;
  bucket: string;
  region: string;
}

export const readStores = (read: SettingReader): StoreSettings => ({
  dataDir: read.text('DATA_DIR') ?? './data',
  cookieSecret: read.secret('COOKIE_SECRET', 32),
  pgUrl: read.servers('PG_URL', ['postgres:', 'postgresql:'], databaseIssue),
  redisUrl: read.servers('REDIS_URL', [...REDIS_PROTOCOLS], redisIssue),
  s3: readS3(read),
});

function readS3(read: SettingReader): S3Config | null {
  const endpoint = read.origin('S3_ENDPOINT', ['http:', 'https:']);
  if (endpoint === null) return null;
  const needed = (name: string): string => {
    read.requireAlso(name, 'S3_ENDPOINT');
    return read.text(name) ?? '';
  };
  return {
    endpoint,
    accessKey: needed('S3_ACCESS_KEY'),
    secretKey: needed('S3_SECRET_KEY'),
    bucket: read.text('S3_BUCKET') ?? 'perch',
    region: read.text('S3_REGION') ?? 'us-east-1',
  };
}

/** Perch writes: it needs the primary, and the client knows it by these alone. */
function databaseIssue({ query }: ServerList): string | null {
  const wanted = query.get('target_session_attrs');
  return wanted === null || wanted === 'read-write' || wanted === 'primary'
    ? null
    : 'target_session_attrs=read-write, or none';
}

const REDIS_PROTOCOLS = [
  ...['redis:', 'rediss:', 'redis+sentinel:', 'rediss+sentinel:', 'redis+cluster:', 'rediss+cluster:'],
] as const;

function redisIssue({ protocol, servers, path, query }: ServerList): string | null {
  if (protocol.endsWith('+cluster:')) return path === '' ? null : 'no database: a cluster has only one';
  const hasSentinels = protocol.endsWith('+sentinel:');
  if (hasSentinels && path === '')
    return 'the name of the primary behind the sentinels, as in redis+sentinel://a,b/primary';
  if (!hasSentinels && servers.length > 1) return 'one server, redis+sentinel:// or redis+cluster://';
  const databases = [hasSentinels ? '' : path, query.get('db') ?? ''];
  return databases.every((database) => /^\d*$/.test(database)) ? null : 'a number as its database';
}
