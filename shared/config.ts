import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { contentHostIssue } from './content-host.ts';
import type { OwnHosts } from './domain-names.ts';
import { LOG_LEVELS, type LogLevel } from './logger.ts';
import { SCAN_MODES, SCAN_WHEN_AWAY, type ScanSettings } from './scanning/settings.ts';
import { createSecretFiles } from './secret-files.ts';
import { parseServerList, type ServerList, schemeOf } from './server-list.ts';

/** Where a Perch keeps its data. */
export interface StoreSettings {
  dataDir: string;
  /** `null`: embedded mode makes one and keeps it in DATA_DIR. */
  cookieSecret: string | null;
  pgUrl: string | null;
  redisUrl: string | null;
  s3: S3Config | null;
}

/** Every setting, checked. The names of the variables and their defaults are in `.env.example`. */
export interface Config extends StoreSettings {
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
  /** The key of IndexNow, by which search engines know announcements of this service; `null`: none. */
  indexNowKey: string | null;
  /** Where new and changed items of the gallery are announced; `null`: nowhere. */
  indexNow: { endpoint: string; key: string; itemsUrl: string } | null;
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

/** A domain below which each item has a host of its own. */
export interface ItemHostSettings {
  /** The part of their addresses before the label, and the part behind it: domain and port. `null`: `localhost`, as the request has it. */
  domain: { scheme: 'http' | 'https'; host: string } | null;
  /** Whether items whose owner asks for neither have one. */
  byDefault: boolean;
}

/** Where the operator is told of reports and takedowns. */
export interface NotificationSettings {
  webhook: WebhookSettings | null;
  email: EmailSettings | null;
  /** Pause after the first failure in ms, which doubles with each further one, and attempts at most. */
  firstRetryMs: number;
  attempts: number;
}

export interface WebhookSettings {
  url: string;
  /** Secret in the form of Standard Webhooks: `whsec_` and the key in base64. */
  secret: string;
  /** Whether the receiver may have an address that is not of the public internet. */
  allowPrivate: boolean;
}

export interface EmailSettings {
  smtpUrl: string;
  from: string;
  to: string[];
}

/** Domains of their own that owners may have items served at. */
export interface CustomDomainSettings {
  own: OwnHosts;
  /** The host of BASE_URL, which a domain has to lead to. */
  target: string;
  /** Addresses, with or without a port, of the name servers that are asked; none: those of the system. */
  dnsServers: string[];
}

export interface S3Config {
  endpoint: string;
  accessKey: string;
  secretKey: string;
  bucket: string;
  region: string;
}

/** A start that cannot go on; the message names each variable, what it got and what it wants. */
export class ConfigError extends Error {
  constructor(issues: string[]) {
    super(`Perch cannot start with these settings:\n${issues.map((issue) => `  ${issue}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

type Environment = Record<string, string | undefined>;

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
  const read = reader(env);
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
  const read = reader(env);
  const stores = readStores(read);
  if (read.issues.length > 0) throw new ConfigError(read.issues);
  return stores;
}

const readStores = (read: ReturnType<typeof reader>): StoreSettings => ({
  dataDir: read.text('DATA_DIR') ?? './data',
  cookieSecret: read.secret('COOKIE_SECRET', 32),
  pgUrl: read.servers('PG_URL', ['postgres:', 'postgresql:'], databaseIssue),
  redisUrl: read.servers('REDIS_URL', [...REDIS_PROTOCOLS], redisIssue),
  s3: readS3(read),
});

/** Hosts of items: those of CONTENT_BASE_URL; on localhost, where nothing else is set, those below it for who asks for them. */
function itemHostsOf(content: string | null, baseUrl: string | null): ItemHostSettings | null {
  if (content?.includes('://*.')) {
    const [scheme = '', host = ''] = content.split('://*.');
    return { domain: { scheme: scheme === 'https' ? 'https' : 'http', host }, byDefault: true };
  }
  const isLocal = baseUrl === null || new URL(baseUrl).hostname === 'localhost';
  return content === null && isLocal ? { domain: null, byDefault: false } : null;
}

/** Only with BASE_URL it is known which host is the service's own: every other one may be somebody's domain. */
function readCustomDomains(
  read: ReturnType<typeof reader>,
  baseUrl: string | null,
  content: string | null,
): CustomDomainSettings | null {
  const isOn = read.flag('CUSTOM_DOMAINS', false);
  const listed = read.text('DNS_SERVERS');
  const dnsServers = listed?.split(/[\s,]+/).filter(Boolean) ?? [];
  if (listed !== null && !dnsServers.every(isServer))
    read.issue(
      'DNS_SERVERS',
      listed,
      'IP addresses, each with or without a port, such as 10.0.0.2, [fd00::2]:53',
    );
  if (!isOn) return null;
  if (baseUrl === null) {
    read.missing('BASE_URL', 'CUSTOM_DOMAINS');
    return null;
  }
  const contentHost = content === null ? null : new URL(content.replace('://*.', '://')).hostname;
  return { own: { baseUrl, contentHost }, target: new URL(baseUrl).hostname, dnsServers };
}

const isServer = (text: string): boolean => {
  const [, six, four] = /^(?:\[([^\]]+)\](?::\d{1,5})?|([^:]+)(?::\d{1,5})?)$/.exec(text) ?? [];
  return (
    isIP(text) !== 0 || (six !== undefined && isIP(six) === 6) || (four !== undefined && isIP(four) === 4)
  );
};

/**
 * Announcements need the key that search engines ask for, and addresses that are right for everybody.
 * @param itemsUrl where items are, if that is one host
 */
function readIndexNow(
  read: ReturnType<typeof reader>,
  itemsUrl: string | null,
): Pick<Config, 'indexNowKey' | 'indexNow'> {
  const key = read.text('INDEXNOW_KEY');
  if (key !== null && !/^[A-Za-z0-9-]{8,128}$/.test(key))
    read.issue('INDEXNOW_KEY', key, '8 to 128 letters, digits and hyphens');
  const endpoint = read.url('INDEXNOW_ENDPOINT', ['http:', 'https:']);
  if (endpoint === null) return { indexNowKey: key, indexNow: null };
  read.missing('INDEXNOW_KEY', 'INDEXNOW_ENDPOINT');
  if (itemsUrl === null) read.missing('BASE_URL', 'INDEXNOW_ENDPOINT');
  return { indexNowKey: key, indexNow: { endpoint, key: key ?? '', itemsUrl: itemsUrl ?? '' } };
}

function readNotifications(read: ReturnType<typeof reader>): NotificationSettings {
  const url = read.url('WEBHOOK_URL', ['http:', 'https:']);
  const secret = read.text('WEBHOOK_SECRET');
  if (url !== null && new URL(url).username !== '')
    read.issue('WEBHOOK_URL', '(hidden)', 'an address without a user and password');
  if (url !== null) read.missing('WEBHOOK_SECRET', 'WEBHOOK_URL');
  if (secret !== null && !/^whsec_[A-Za-z0-9+/]{32,128}={0,2}$/.test(secret))
    read.issue('WEBHOOK_SECRET', secret, 'whsec_ and at least 24 random bytes in base64');
  const smtpUrl = read.url('SMTP_URL', ['smtp:', 'smtps:']);
  const from = read.text('EMAIL_FROM');
  const to = (read.text('EMAIL_TO') ?? '').split(',').map((one) => one.trim());
  const isAddress = (text: string): boolean => /^[^\s@<>,]{1,64}@[^\s@<>,]{1,255}$/.test(text);
  if (smtpUrl !== null && (from === null || !isAddress(from)))
    read.issue('EMAIL_FROM', from ?? '(nothing)', 'an e-mail address, because SMTP_URL is set');
  if (smtpUrl !== null && !to.every(isAddress))
    read.issue(
      'EMAIL_TO',
      to.join(',') || '(nothing)',
      'e-mail addresses with commas between, because SMTP_URL is set',
    );
  const allowPrivate = read.flag('WEBHOOK_ALLOW_PRIVATE', false);
  return {
    webhook: url === null ? null : { url, secret: secret ?? '', allowPrivate },
    email: smtpUrl === null ? null : { smtpUrl, from: from ?? '', to },
    firstRetryMs: read.integer('NOTIFY_RETRY_SECONDS', 10, 1, 3_600) * 1000,
    attempts: read.integer('NOTIFY_ATTEMPTS', 16, 1, 100),
  };
}

function readScanning(read: ReturnType<typeof reader>): ScanSettings {
  const clamdUrl = read.url('CLAMD_URL', ['tcp:', 'unix:']);
  if (clamdUrl !== null && /^unix:\/\/[^/]/.test(clamdUrl))
    read.issue('CLAMD_URL', clamdUrl, 'unix:///path, with three slashes: a socket has no host');
  return {
    clamdUrl,
    mode: read.choice('SCAN_MODE', SCAN_MODES, 'before'),
    whenAway: read.choice('SCAN_WHEN_AWAY', SCAN_WHEN_AWAY, 'hold'),
    maxBytes: read.integer('SCAN_MAX_BYTES', 25 * 1_048_576, 1, 4_000_000_000),
    rescanEveryMs: read.integer('RESCAN_EVERY_HOURS', 0, 0, 8_760) * 3_600_000,
    rescanPerSecond: read.integer('RESCAN_PER_SECOND', 20, 1, 10_000),
    linksFile: read.text('LINK_BLOCKLIST'),
  };
}

/** All cores but one, which is for everything else. */
const usualRenderWorkers = (): number => Math.min(4, Math.max(1, availableParallelism() - 1));

function readS3(read: ReturnType<typeof reader>): S3Config | null {
  const endpoint = read.origin('S3_ENDPOINT', ['http:', 'https:']);
  if (endpoint === null) return null;
  const needed = (name: string): string => {
    read.missing(name, 'S3_ENDPOINT');
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

const addressOf = (protocols: readonly string[]): string =>
  `an address that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`;

const WHOLE_ADDRESS =
  'a valid host and port, with user and password percent-encoded: a # in a password is %23, a / is %2F, a % is %25';

/** An address like `postgres:///perch`, of a server at the usual place. */
const isWithoutHost = (text: string): boolean => URL.canParse(text) && new URL(text).host === '';

/** Values that may hold a password are never repeated in a message. */
const SECRET_NAMES = /SECRET|PASSWORD|KEY|PG_URL|REDIS_URL|NATS_URL|SMTP_URL|ENDPOINT/;

function reader(env: Environment) {
  const issues: string[] = [];
  const issue = (name: string, got: string, wants: string): void => {
    issues.push(
      `${name} is ${SECRET_NAMES.test(name) && got !== '(nothing)' ? '(hidden)' : got}; it wants ${wants}`,
    );
  };
  const fromFile = createSecretFiles(env, issue);
  const text = (name: string): string | null => {
    const value = env[name]?.trim();
    const inFile = fromFile(name);
    return value === undefined || value === '' ? inFile : value;
  };
  const url = (name: string, protocols: string[]): string | null => {
    const value = text(name);
    if (value === null) return null;
    if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return value;
    issue(name, value, protocols.includes(schemeOf(value)) ? WHOLE_ADDRESS : addressOf(protocols));
    return null;
  };
  return {
    issues,
    issue,
    /** A setting that another one needs is not there. One that is there and wrong has an issue already. */
    missing(name: string, neededFor: string): void {
      if (text(name) === null) issue(name, '(nothing)', `a value, because ${neededFor} is set`);
    },
    text,
    url,
    /** An address of one or several servers; `issueOf` says what else one wants. */
    servers(
      name: string,
      protocols: string[],
      issueOf: (list: ServerList) => string | null = () => null,
    ): string | null {
      const value = text(name);
      if (value === null) return null;
      const list = parseServerList(value);
      const wanted = (): string | null => {
        if (!protocols.includes(schemeOf(value))) return addressOf(protocols);
        if (list !== null) return issueOf(list);
        return isWithoutHost(value) ? null : WHOLE_ADDRESS;
      };
      const wants = wanted();
      if (wants === null) return value;
      issue(name, value, wants);
      return null;
    },
    origin(name: string, protocols: string[]): string | null {
      const value = url(name, protocols);
      if (value === null) return null;
      const { origin, pathname, search, username } = new URL(value);
      if (pathname === '/' && search === '' && username === '') return origin;
      issue(name, value, 'scheme, host and port only, without a path');
      return null;
    },
    integer(name: string, fallback: number, min: number, max: number): number {
      const value = text(name);
      if (value === null) return fallback;
      const parsed = /^\d+$/.test(value) ? Number(value) : Number.NaN;
      if (parsed >= min && parsed <= max) return parsed;
      issue(name, value, `a whole number from ${min} to ${max}`);
      return fallback;
    },
    flag(name: string, fallback: boolean): boolean {
      const value = text(name)?.toLowerCase();
      if (value === undefined) return fallback;
      if (value === 'true' || value === '1') return true;
      if (value === 'false' || value === '0') return false;
      issue(name, value, 'true or false');
      return fallback;
    },
    choice<T extends string>(name: string, choices: readonly T[], fallback: T): T {
      const value = text(name);
      if (value === null) return fallback;
      const found = choices.find((choice) => choice === value);
      if (found === undefined) issue(name, value, `one of ${choices.join(', ')}`);
      return found ?? fallback;
    },
    secret(name: string, minLength: number): string | null {
      const value = text(name);
      if (value !== null && value.length < minLength) issue(name, value, `at least ${minLength} characters`);
      return value;
    },
  };
}

/** Places of files that Bun and its libraries look for. */
const PLACES = ['HOME', 'XDG_CACHE_HOME', 'TMPDIR', 'LD_LIBRARY_PATH'];

/** For a process that reads hostile content and has no use for settings: those of Bun alone, and no secrets. */
export function environmentOfBun(): Environment {
  // biome-ignore lint/style/noProcessEnv: the one place that reads the environment
  const all = Object.entries(process.env);
  return Object.fromEntries(all.filter(([name]) => name.startsWith('BUN_') || PLACES.includes(name)));
}
