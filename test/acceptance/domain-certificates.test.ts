import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { ensureCommands } from '../../infra/servers/debian.ts';
import { freePort } from '../../infra/servers/port.ts';
import type { Server } from '../../infra/servers/server.ts';
import { errorCode } from '../../shared/error-code.ts';
import { readComposeFile, serviceOf } from '../deployment/compose-file.ts';
import { caddy } from '../deployment/deployment.ts';
import { START_LIMIT_MS } from '../servers.ts';
import { ownedBy, type Published, USER_AGENT } from './support/client.ts';
import { eventually } from './support/concurrency.ts';
import { claimed, domainSettings, holdDomain, removeDomain, SERVICE_HOST } from './support/domains.ts';
import { startNameServer } from './support/name-server.ts';
import { usePerch } from './support/perch.ts';
import { publishSite } from './support/site-client.ts';

/** CONTENT_DOMAIN without its wildcard. */
const ITEMS = 'perch-items.net';

/** With the variables that docs/operations.md has for domains of owners and a host for each item. */
const compose = readComposeFile({
  DOMAIN: SERVICE_HOST,
  CUSTOM_DOMAINS: 'true',
  SITE_ADDRESSES: 'https://',
  CONTENT_TLS: 'on_demand',
  CONTENT_DOMAIN: `*.${ITEMS}`,
});

/** A setting that Compose gives gateways. */
const given = (name: string): string => serviceOf(compose, 'gateway').environment?.[name] ?? '';

const names = await startNameServer();
const perch = usePerch({
  env: domainSettings(names, {
    BASE_URL: given('BASE_URL'),
    CUSTOM_DOMAINS: given('CUSTOM_DOMAINS'),
    CONTENT_BASE_URL: given('CONTENT_BASE_URL'),
    TRUST_PROXY: given('TRUST_PROXY'),
  }),
});

let dir = '';
let proxy: Server | null = null;
let port = 0;
/** Its address by plain http. */
let plain = '';
/** The certificate of the authority of this proxy. */
let root = '';

/**
 * The proxy of Compose, of which only the ports and the authority are the test's; `gateway` stands in an /etc/hosts of its own
 * mount namespace.
 */
beforeAll(async () => {
  await ensureCommands(['caddy', 'unshare']);
  dir = await mkdtemp(join(tmpdir(), 'perch-certificates-'));
  const hosts = join(dir, 'hosts');
  await writeFile(hosts, '127.0.0.1 localhost gateway\n');
  port = await freePort();
  const asRoot = process.geteuid?.() === 0 ? [] : ['--map-root-user'];
  const mounted = 'mount --bind "$1" /etc/hosts && shift && exec "$@"';
  const started = await caddy(
    dir,
    {
      ...serviceOf(compose, 'proxy').environment,
      GATEWAY_PORT: new URL(perch.url).port,
      OPTIONS: `https_port ${port}\nlocal_certs\nskip_install_trust`,
    },
    ['unshare', '--mount', ...asRoot, 'sh', '-c', mounted, 'sh', hosts],
  );
  await started.start();
  proxy = started;
  plain = started.url;
  const authority = await fetch(`${started.adminUrl}/pki/ca/local`);
  root = ((await authority.json()) as { root_certificate: string }).root_certificate;
}, START_LIMIT_MS);

afterAll(async () => {
  await proxy?.stop();
  names.stop();
  if (dir !== '') await rm(dir, { recursive: true, force: true });
}, START_LIMIT_MS);

let last = 0;
const someDomain = (): string => `www.certified-${++last}.example.org`;

const connectTo = (name: string): Promise<TLSSocket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, servername: name, ca: root }, () => resolve(socket));
    socket.on('error', reject);
  });

/**
 * A connection to the proxy whose certificate is the authority's and of that name. A certificate may be made in a second that has
 * only just begun, and time(2), by which its date is checked, is late by a tick.
 */
async function shake(name: string): Promise<TLSSocket> {
  try {
    return await connectTo(name);
  } catch (error) {
    if (errorCode(error) !== 'CERT_NOT_YET_VALID') throw error;
    await Bun.sleep(1_000);
    return await connectTo(name);
  }
}

/** The answer at a host by https: its status and its body. */
async function readAt(name: string, path = '/'): Promise<string> {
  const socket = await shake(name);
  try {
    expect(socket.getPeerCertificate().subjectaltname).toBe(`DNS:${name}`);
    const lines = [`GET ${path} HTTP/1.1`, `Host: ${name}`, `User-Agent: ${USER_AGENT}`, 'Connection: close'];
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    return `${/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]} ${text.slice(text.indexOf('\r\n\r\n') + 4)}`;
  } finally {
    socket.destroy();
  }
}

/** The code of the error that ends a handshake; `null`: it succeeds. */
async function refusalAt(name: string): Promise<string | null> {
  try {
    (await shake(name)).destroy();
    return null;
  } catch (error) {
    return errorCode(error) ?? String(error);
  }
}

/** The proxy has no certificate for the name, and says so with an alert (RFC 8446, section 6.2). */
const REFUSED = 'ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR';

const hostOf = (item: Published): string => new URL((item as Published & { hostUrl: string }).hostUrl).host;

test('the hosts of the service, of a label and of a verified domain get certificates, and the item', async () => {
  expect(await readAt(SERVICE_HOST, '/healthz')).toStartWith('200');
  const site = await publishSite(perch, { 'index.html': '<p>certified', 'a.css': 'p {}' });
  expect(await readAt(hostOf(site))).toContain('<p>certified');
  expect(await readAt(hostOf(site), '/a.css')).toBe('200 p {}');
  const domain = someDomain();
  await holdDomain(perch, names, site, domain);
  expect(await readAt(domain)).toContain('<p>certified');
  expect(await readAt(domain, '/a.css')).toBe('200 p {}');
  const unsafe = await fetch(`${plain}/a.css`, { redirect: 'manual', headers: { Host: domain } });
  expect([unsafe.status, unsafe.headers.get('Location')]).toEqual([308, `https://${domain}/a.css`]);
});

test('names of nobody get none', async () => {
  for (const name of [`${'a'.repeat(26)}.${ITEMS}`, `www.${ITEMS}`, ITEMS, 'www.nobody.example.org'])
    expect([name, await refusalAt(name)]).toEqual([name, REFUSED]);
});

test('a domain gets one when its record is there, and not while it is pending or lost', async () => {
  const page = await perch.publish('<p>proven');
  const [domain, next] = [someDomain(), someDomain()];
  const { record } = await claimed(perch, page, domain);
  expect(await refusalAt(domain)).toBe(REFUSED);
  names.setTexts(record.name, record.value);
  await claimed(perch, page, domain);
  await eventually(async () => (await readAt(domain)).endsWith('<p>proven'));
  const lost = await holdDomain(perch, names, page, next);
  names.setTexts(lost.name);
  expect((await claimed(perch, page, next)).state).toBe('lost');
  expect(await refusalAt(next)).toBe(REFUSED);
});

test('a domain or label that was taken away gets none, and with the one it has says that the item is gone', async () => {
  const [page, other] = [await perch.publish('<p>first'), await perch.publish('<p>second')];
  const [used, unused] = [someDomain(), someDomain()];
  await holdDomain(perch, names, page, used);
  await holdDomain(perch, names, other, unused);
  expect(await readAt(used)).toContain('<p>first');
  for (const item of [page, other]) expect((await removeDomain(perch, item)).status).toBe(204);
  expect(await refusalAt(unused)).toBe(REFUSED);
  expect(await readAt(used)).toStartWith('410');
  const removed = await perch.publish('<p>removed');
  await perch.api(removed, { method: 'DELETE', ...ownedBy(removed) });
  expect(await refusalAt(hostOf(removed))).toBe(REFUSED);
});

test('nobody outside is told which names are hosts', async () => {
  const page = await perch.publish('<p>here');
  const path = `/metrics/known-host?domain=${hostOf(page)}`;
  expect(await readAt(SERVICE_HOST, path)).toStartWith('404');
  expect(await readAt(hostOf(page), path)).toStartWith('404');
});
