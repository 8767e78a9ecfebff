import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Config, GATEWAY_NEEDS, loadConfig, SERVICE_NEEDS } from '../../shared/config.ts';
import { SECRET_SETTINGS } from '../../shared/secret-files.ts';
import { DATABASE_CONNECTIONS } from '../../shared/wiring/dependencies.ts';
import { readComposeFile, serviceOf } from './compose-file.ts';
import { makeSecrets, withSecretsIn } from './secrets-folder.ts';

const BEHIND = ['content', 'kv', 'site', 'analytics'];
const OURS = ['gateway', ...BEHIND];

/** Settings that are for other modes and for tests. */
const NOT_FOR_OPERATORS = ['DATA_DIR', 'HOST', 'SHARED_PORT', 'TTL_DAY_SECONDS'];

let secrets: Awaited<ReturnType<typeof makeSecrets>>;

beforeAll(async () => {
  secrets = await makeSecrets();
});

afterAll(() => secrets.remove());

const environmentOf = (name: string, env?: Record<string, string>): Record<string, string> =>
  withSecretsIn(secrets.folder, serviceOf(readComposeFile(env), name).environment);

function configOf(name: string, env?: Record<string, string>): Config {
  return loadConfig(environmentOf(name, env), name === 'gateway' ? GATEWAY_NEEDS : SERVICE_NEEDS);
}

/** The variables that Perch reads, found by letting it read. */
function settingsRead(): string[] {
  const read = new Set<string>();
  const env = new Proxy<Record<string, string>>(
    {},
    {
      get(_, name) {
        read.add(String(name));
        return name === 'S3_ENDPOINT' ? 'http://host' : undefined;
      },
    },
  );
  // Missing keys for S3 are a fault that is said at the end.
  expect(() => loadConfig(env)).toThrow('S3_ACCESS_KEY');
  return [...read];
}

const known = settingsRead();
const plain = known.filter((name) => !name.endsWith('_FILE'));

test('the settings that Perch reads are found', () => {
  expect(plain).toContain('S3_REGION');
  expect(plain.length).toBeGreaterThan(25);
  for (const name of SECRET_SETTINGS) expect(known).toContain(name);
});

test.each(OURS)('%s is passed nothing that it would not read', (name) => {
  for (const variable of Object.keys(environmentOf(name))) {
    const isFile = SECRET_SETTINGS.some((secret) => `${secret}_FILE` === variable);
    expect([variable, isFile || plain.includes(variable)]).toEqual([variable, true]);
  }
});

test.each(OURS)('%s is passed every setting that is an operator’s, and no secret by value', (name) => {
  const passed = Object.keys(environmentOf(name)).map((variable) => variable.replace(/_FILE$/, ''));
  const others = name === 'gateway' ? ['PG_URL'] : ['ADMIN_PASSWORD', 'COOKIE_SECRET', 'UPLOAD_DIR'];
  const expected = plain.filter((setting) => ![...NOT_FOR_OPERATORS, ...others].includes(setting));
  expect(passed.toSorted()).toEqual(expected.toSorted());
  for (const secret of SECRET_SETTINGS) expect(environmentOf(name)[secret]).toBeUndefined();
});

test.each(OURS)('%s starts with what is passed, without any .env', (name) => {
  const config = configOf(name);
  expect(config).toMatchObject({
    port: 8080,
    host: '0.0.0.0',
    trustProxy: 1,
    baseUrl: 'http://localhost',
    contentBaseUrl: null,
    logLevel: 'info',
  });
  expect(config.s3).toMatchObject({ endpoint: 'http://minio:9000', bucket: 'perch', region: 'us-east-1' });
  expect(config.redisUrl).toMatch(/^redis:\/\/:\w{40}@redis:6379$/);
  // The server reads its users' passwords like values of its file: these begin with a letter.
  expect(config.natsUrl).toMatch(new RegExp(`^nats://${name}:n\\w{40}@nats:4222$`));
  if (name === 'gateway') {
    expect(config).toMatchObject({ pgUrl: null, uploadDir: '/uploads' });
    expect(config.adminPassword).toHaveLength(40);
    expect(config.cookieSecret).toHaveLength(40);
  } else {
    expect(config.pgUrl).toMatch(/^postgres:\/\/perch_service:\w{40}@postgres:5432\/perch$/);
    expect(config).toMatchObject({ adminPassword: null, cookieSecret: null });
  }
});

test('defaults are those of Perch', () => {
  const {
    trustProxy,
    s3,
    redisUrl,
    natsUrl,
    cookieSecret,
    adminPassword,
    uploadDir,
    baseUrl,
    drainMs,
    ...rest
  } = configOf('gateway');
  expect(drainMs).toBe(1_000);
  expect(loadConfig({})).toMatchObject(rest);
});

test('one variable for the domain gives https, a second one another host for pages', () => {
  const name = 'perch.example.org';
  expect(configOf('gateway', { DOMAIN: name })).toMatchObject({
    baseUrl: `https://${name}`,
    contentBaseUrl: null,
  });
  const both = { DOMAIN: name, CONTENT_DOMAIN: 'pages.example.net' };
  expect(configOf('gateway', both)).toMatchObject({
    baseUrl: `https://${name}`,
    contentBaseUrl: 'https://pages.example.net',
  });
  const addresses = (env?: Record<string, string>) =>
    serviceOf(readComposeFile(env), 'proxy').environment?.SITE_ADDRESSES?.trim();
  expect(addresses()).toBe('http://');
  expect(addresses(both)).toBe('perch.example.org pages.example.net');
  expect(addresses({ ...both, SITE_ADDRESSES: 'https://' })).toBe('https://');
});

test('without a domain the address follows the port, or is what is said', () => {
  expect(configOf('gateway', { HTTP_PORT: '8088' }).baseUrl).toBe('http://localhost:8088');
  const said = { BASE_URL: 'http://10.0.0.5', HTTP_PORT: '8088' };
  expect(configOf('gateway', said).baseUrl).toBe('http://10.0.0.5');
  expect(serviceOf(readComposeFile(said), 'proxy').ports?.[0]).toBe('8088:80');
});

/** The defaults of scanning. */
const SCANNING = loadConfig({}).scanning;

test.each<[variable: string, value: string, setting: Partial<Config>]>([
  ['SHOW_TOP_BAR_DEFAULT', 'true', { showTopBarDefault: true }],
  ['LIMIT_UPLOADS_PER_HOUR', '0', { uploadsPerHour: 0 }],
  ['LIMIT_READS_PER_MINUTE', '7', { readsPerMinute: 7 }],
  ['LIMIT_CHANGES_PER_HOUR', '7', { changesPerHour: 7 }],
  ['LIMIT_OWNER_TOKENS_PER_MINUTE', '7', { ownerTokensPerMinute: 7 }],
  ['LIMIT_PREVIEWS_PER_MINUTE', '7', { previewsPerMinute: 7 }],
  ['SITE_MAX_BYTES', '7', { siteMaxBytes: 7 }],
  ['CACHE_MAX_BYTES', '7', { cacheMaxBytes: 7 }],
  ['RENDER_WORKERS', '7', { renderWorkers: 7 }],
  ['SWEEP_INTERVAL_SECONDS', '7', { sweepIntervalMs: 7_000 }],
  ['BLOB_GRACE_SECONDS', '7', { blobGraceMs: 7_000 }],
  ['DRAIN_SECONDS', '7', { drainMs: 7_000 }],
  ['CLAMD_URL', 'tcp://clamd:3310', { scanning: { ...SCANNING, clamdUrl: 'tcp://clamd:3310' } }],
  ['SCAN_MODE', 'behind', { scanning: { ...SCANNING, mode: 'behind' } }],
  ['SCAN_WHEN_AWAY', 'pass', { scanning: { ...SCANNING, whenAway: 'pass' } }],
  ['SCAN_MAX_BYTES', '7', { scanning: { ...SCANNING, maxBytes: 7 } }],
  ['RESCAN_EVERY_HOURS', '7', { scanning: { ...SCANNING, rescanEveryMs: 25_200_000 } }],
  ['RESCAN_PER_SECOND', '7', { scanning: { ...SCANNING, rescanPerSecond: 7 } }],
  ['LINK_BLOCKLIST', '/hosts', { scanning: { ...SCANNING, linksFile: '/hosts' } }],
  ['LOG_RETENTION_DAYS', '7', { logRetentionDays: 7 }],
  ['REPORTS_TO_HIDE', '7', { reportsToHide: 7 }],
  ['LOG_LEVEL', 'warn', { logLevel: 'warn' }],
])('%s reaches every service', (variable, value, setting) => {
  for (const name of OURS) expect(configOf(name, { [variable]: value })).toMatchObject(setting);
});

test('PostgreSQL takes the connections of three processes of each service, and some of others', () => {
  const argument = serviceOf(readComposeFile(), 'postgres').command?.find((text) =>
    text.startsWith('max_con'),
  );
  const most = Number(argument?.split('=')[1]);
  expect(most).toBeGreaterThan(BEHIND.length * 3 * DATABASE_CONNECTIONS + 30);
});

test('the secrets are long, closed to others, and stay as they are', async () => {
  const { folder } = secrets;
  const declared = Object.keys(readComposeFile().secrets);
  expect((await readdir(folder)).sort()).toEqual(declared.sort());
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  const contents = () => Promise.all(declared.map((name) => readFile(join(folder, name), 'utf8')));
  const before = await contents();
  expect(new Set(before).size).toBe(declared.length);
  for (const [index, name] of declared.entries()) {
    const isName = name === 's3-access-key' || name === 'minio-root-user';
    expect(before[index]).toMatch(isName ? /^\w{20}$/ : /^\S{40,}/);
    // Users of containers have ids of their own.
    expect((await stat(join(folder, name))).mode & 0o777).toBe(0o444);
  }
  await makeSecrets(folder);
  expect(await contents()).toEqual(before);
});

test('addresses follow the passwords in them', async () => {
  const other = await makeSecrets();
  const change = async (name: string, content: string): Promise<void> => {
    await Bun.$`chmod u+w ${join(other.folder, name)}`.quiet();
    await writeFile(join(other.folder, name), content);
  };
  const read = (name: string) => readFile(join(other.folder, name), 'utf8');
  try {
    await change('service-database-password', 'another');
    await change('redis-password', 'a-third');
    await change('nats-url-kv', 'nats://kv:nothing@nats:4222');
    await makeSecrets(other.folder);
    expect(await read('pg-url')).toBe('postgres://perch_service:another@postgres:5432/perch');
    expect(await read('redis-url')).toBe('redis://:a-third@redis:6379');
    expect(await read('nats-passwords')).toMatch(/^NATS_KV_PASSWORD=nothing$/m);
  } finally {
    await other.remove();
  }
});

test('an installation from before the services had rights of their own keeps its keys', async () => {
  const other = await makeSecrets();
  try {
    const old = ['postgres-password', 's3-access-key', 's3-secret-key', 'cookie-secret', 'admin-password'];
    for (const name of await readdir(other.folder))
      if (!old.includes(name)) await rm(join(other.folder, name), { force: true });
    const read = () => Promise.all(old.map((name) => readFile(join(other.folder, name), 'utf8')));
    const before = await read();
    await makeSecrets(other.folder);
    expect(await read()).toEqual(before);
    expect((await readdir(other.folder)).sort()).toEqual(Object.keys(readComposeFile().secrets).sort());
  } finally {
    await other.remove();
  }
});
