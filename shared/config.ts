import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import {
  type IndexNowSettings,
  type NotificationSettings,
  readIndexNow,
  readNotifications,
} from './config/announcements.ts';
import {
  type CustomDomainSettings,
  type ItemHostSettings,
  itemHostsOf,
  readCustomDomains,
} from './config/hosts.ts';
import { readScanning } from './config/scanning.ts';
import { createSettingReader, type Environment } from './config/setting-reader.ts';
import { readStores, type StoreSettings } from './config/stores.ts';
import { contentHostIssue } from './content-host.ts';
import { LOG_LEVELS, type LogLevel } from './logger.ts';
import type { ScanSettings } from './scanning/settings.ts';

/** Every setting, checked. The names of the variables and their defaults are in `.env.example`. */
export interface Config extends StoreSettings, IndexNowSettings {
  port: number;
  /** A second port of a gateway, on which other gateways of the machine listen, too: the kernel shares out the connections. 0: none. */
  sharedPort: number;
  host: string;
  /** `null`: links follow the address by which each request comes. */
  baseUrl: string | null;
  /** How long a gateway that is to stop goes on answering, so that who sends it requests hears of it first. */
  drainMs: number;
  /** `null`: hosted pages share the service's host, in an opaque origin. */
  contentBaseUrl: string | null;
  /** `null`: items have no hosts of their own. */
  itemHosts: ItemHostSettings | null;
  /** `null`: owners bring no domains of their own. */
  customDomains: CustomDomainSettings | null;
  /** How many proxies in front are trusted to append to X-Forwarded-For. */
  trustProxy: number;
  showTopBarDefault: boolean;
  uploadsPerHour: number;
  readsPerMinute: number;
  changesPerHour: number;
  /** Requests of `GET /api/owner-token`. */
  ownerTokensPerMinute: number;
  previewsPerMinute: number;
  /** Values that a client follows at once on one gateway; 0: as many as its share. */
  watchersPerClient: number;
  ttlDayMs: number;
  /** Memory that the hash of a password takes, in KiB: it makes guessing dear. */
  passwordHashKib: number;
  sweepIntervalMs: number;
  /** How long a blob without an item is kept: for readers of a replaced one, and for uploads under way. */
  blobGraceMs: number;
  cacheMaxBytes: number;
  /** Pages that a `content` process renders at once. */
  renderWorkers: number;
  /** Most bytes of one site, all its files together. */
  siteMaxBytes: number;
  /** Where a gateway keeps uploads under way that do not fit in memory. */
  uploadDir: string;
  /** Opens the admin operations; `null`: they are off. */
  adminPassword: string | null;
  /** Independent reports that hide an item; 0: only the operator does. */
  reportsToHide: number;
  notifications: NotificationSettings;
  /** Whether content is looked through for malware and links, and how. */
  scanning: ScanSettings;
  /** Entries of the access log are kept for so many days. */
  logRetentionDays: number;
  /** Bytes of request logs that a gateway writes in a day; requests beyond them are only counted. 0: no bound. */
  logMaxBytesPerDay: number;
  logLevel: LogLevel;
  natsUrl: string | null;
  /** Copies of the access stream on the servers of a NATS cluster; `null`: as many as it has. */
  natsStreamReplicas: number | null;
}

/** A start that cannot go on; the message names each variable, what it got and what it wants. */
export class ConfigError extends Error {
  constructor(issues: string[]) {
    super(`Perch cannot start with these settings:\n${issues.map((issue) => `  ${issue}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

const BOTH_NEED = ['REDIS_URL', 'NATS_URL', 'S3_ENDPOINT'] as const;

/** Variables without which a process of the distributed mode does not start: of a gateway, which has no database, and of the others. */
export const GATEWAY_NEEDS = [...BOTH_NEED, 'COOKIE_SECRET'] as const;
export const SERVICE_NEEDS = [...BOTH_NEED, 'PG_URL'] as const;

/**
 * Reads and checks the environment.
 * @throws ConfigError that lists every issue at once.
 */
export function loadConfig(
  // biome-ignore lint/style/noProcessEnv: the one place that reads the environment
  env: Environment = process.env,
  required: readonly string[] = [],
): Config {
  const read = createSettingReader(env);
  for (const name of required)
    if (read.text(name) === null) read.issue(name, '(nothing)', 'a value: it is required here');
  const stores = readStores(read);
  const port = read.integer('PORT', 8080, 0, 65_535);
  const content = read.origin('CONTENT_BASE_URL', ['http:', 'https:']);
  const isWildcard = content?.includes('://*.') === true;
  const contentBaseUrl = isWildcard ? null : content;
  // With two hosts a request to one does not tell the other's address.
  const baseUrlOfTwo = content === null ? null : `http://localhost:${port}`;
  const givenBaseUrl = read.origin('BASE_URL', ['http:', 'https:']);
  const baseUrl = givenBaseUrl ?? baseUrlOfTwo;
  const config: Config = {
    ...stores,
    port,
    sharedPort: read.integer('SHARED_PORT', 0, 0, 65_535),
    host: read.text('HOST') ?? '0.0.0.0',
    baseUrl,
    drainMs: read.integer('DRAIN_SECONDS', 0, 0, 300) * 1000,
    contentBaseUrl,
    itemHosts: itemHostsOf(content, baseUrl),
    customDomains: readCustomDomains(read, givenBaseUrl, content),
    trustProxy: read.integer('TRUST_PROXY', 0, 0, 16),
    showTopBarDefault: read.flag('SHOW_TOP_BAR_DEFAULT', false),
    uploadsPerHour: read.integer('LIMIT_UPLOADS_PER_HOUR', 60, 0, 1_000_000_000),
    readsPerMinute: read.integer('LIMIT_READS_PER_MINUTE', 300, 0, 1_000_000_000),
    changesPerHour: read.integer('LIMIT_CHANGES_PER_HOUR', 600, 0, 1_000_000_000),
    ownerTokensPerMinute: read.integer('LIMIT_OWNER_TOKENS_PER_MINUTE', 60, 0, 1_000_000_000),
    previewsPerMinute: read.integer('LIMIT_PREVIEWS_PER_MINUTE', 120, 0, 1_000_000_000),
    watchersPerClient: read.integer('LIMIT_WATCHERS_PER_CLIENT', 100, 0, 1_000_000),
    ttlDayMs: read.integer('TTL_DAY_SECONDS', 86_400, 1, 86_400) * 1000,
    passwordHashKib: read.integer('PASSWORD_HASH_KB', 19_456, 64, 1_048_576),
    sweepIntervalMs: read.integer('SWEEP_INTERVAL_SECONDS', 60, 1, 86_400) * 1000,
    blobGraceMs: read.integer('BLOB_GRACE_SECONDS', 900, 2, 86_400) * 1000,
    cacheMaxBytes: read.integer('CACHE_MAX_BYTES', 128 * 1_048_576, 0, Number.MAX_SAFE_INTEGER),
    renderWorkers: read.integer('RENDER_WORKERS', usualRenderWorkers(), 1, 16),
    siteMaxBytes: read.integer('SITE_MAX_BYTES', 5000 * 1_048_576, 1, Number.MAX_SAFE_INTEGER),
    uploadDir: read.text('UPLOAD_DIR') ?? join(stores.dataDir, 'uploads'),
    ...readIndexNow(read, contentBaseUrl ?? givenBaseUrl),
    adminPassword: read.secret('ADMIN_PASSWORD', 12),
    reportsToHide: read.integer('REPORTS_TO_HIDE', 0, 0, 1_000),
    notifications: readNotifications(read),
    scanning: readScanning(read),
    logRetentionDays: read.integer('LOG_RETENTION_DAYS', 30, 1, 3_650),
    logMaxBytesPerDay: read.integer('LOG_MAX_BYTES_PER_DAY', 10 * 1_073_741_824, 0, Number.MAX_SAFE_INTEGER),
    logLevel: read.choice('LOG_LEVEL', LOG_LEVELS, 'info'),
    natsUrl: read.servers('NATS_URL', ['nats:', 'tls:']),
    natsStreamReplicas:
      read.text('NATS_STREAM_REPLICAS') === null ? null : read.integer('NATS_STREAM_REPLICAS', 1, 1, 5),
  };
  const mayBeRelated = read.flag('ALLOW_RELATED_CONTENT_HOST', false);
  const issue = content === null ? null : contentHostIssue(content, baseUrl, mayBeRelated);
  if (content !== null && issue !== null) read.issue('CONTENT_BASE_URL', content, issue);
  if (read.issues.length > 0) throw new ConfigError(read.issues);
  return config;
}

/**
 * Reads and checks the settings of the stores alone, for tools that work on them: others may be good in a container only.
 * @throws ConfigError that lists every issue at once.
 */
// biome-ignore lint/style/noProcessEnv: the one place that reads the environment
export function loadStoreSettings(env: Environment = process.env): StoreSettings {
  const read = createSettingReader(env);
  const stores = readStores(read);
  if (read.issues.length > 0) throw new ConfigError(read.issues);
  return stores;
}

/** All cores but one, which is for everything else. */
const usualRenderWorkers = (): number => Math.min(4, Math.max(1, availableParallelism() - 1));

/** Places of files that Bun and its libraries look for. */
const PLACES = ['HOME', 'XDG_CACHE_HOME', 'TMPDIR', 'LD_LIBRARY_PATH'];

/** For a process that reads hostile content and has no use for settings: those of Bun alone, and no secrets. */
export function environmentOfBun(): Environment {
  // biome-ignore lint/style/noProcessEnv: the one place that reads the environment
  const all = Object.entries(process.env);
  return Object.fromEntries(all.filter(([name]) => name.startsWith('BUN_') || PLACES.includes(name)));
}
