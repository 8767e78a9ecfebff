import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startTcpProxy, type TcpProxy } from '../../infra/faults/tcp-proxy.ts';
import { freePort } from '../../infra/servers/port.ts';
import { until } from '../../infra/until.ts';
import { type NameServer, startNameServer } from '../deployment/name-server.ts';
import { START_LIMIT_MS, temporaryFolder, useServers } from '../servers.ts';
import { type NamedServers, USES, type Use } from './named-servers-client.ts';

setDefaultTimeout(180_000);
const setting = useServers('NATS_URL', 'REDIS_URL', 'PG_URL', 'S3_ENDPOINT');

/** Loopback addresses of this run alone: of the name server, and of the servers before and after they move. */
const subnet = `127.${64 + Math.floor(Math.random() * 128)}.${Math.floor(Math.random() * 256)}`;
const [NAME_SERVER, BEFORE, AFTER] = [`${subnet}.1`, `${subnet}.2`, `${subnet}.3`];
/** Docker's own name server lets answers be kept so long. */
const TIME_TO_LIVE_SECONDS = 600;
/** Generous, and still well below the time to live. */
const MOVED_LIMIT_MS = 60_000;

/** The way from the named servers' ports to the real servers. */
const servers: Array<{ port: number; target: { host: string; port: number } }> = [];
let names: NameServer;
let links: TcpProxy[] = [];
let dir: string;
let client: Bun.Subprocess<'pipe', 'pipe', 'inherit'>;
let answers: AsyncIterator<string>;

/** The address of a real server with a name in place of its host. */
const named = async (url: string): Promise<string> => {
  const address = new URL(url);
  const port = await freePort();
  servers.push({ port, target: { host: address.hostname, port: Number(address.port) } });
  address.hostname = 'server.test';
  address.port = String(port);
  return address.href.replace(/\/$/, '');
};
const openLinks = (host: string): Promise<TcpProxy[]> =>
  Promise.all(
    servers.map(({ port, target }) => startTcpProxy({ name: host, target, listen: { host, port } })),
  );

/** Uses one of the client's adapters. */
const use = async (name: Use): Promise<string> => {
  client.stdin.write(`${name}\n`);
  await client.stdin.flush();
  return (await answers.next()).value ?? 'the client has ended';
};

beforeAll(async () => {
  dir = await temporaryFolder();
  const settings: NamedServers = {
    natsUrl: await named(setting('NATS_URL')),
    redisUrl: await named(setting('REDIS_URL')),
    pgUrl: await named(setting('PG_URL')),
    s3: {
      endpoint: await named(setting('S3_ENDPOINT')),
      accessKey: setting('S3_ACCESS_KEY'),
      secretKey: setting('S3_SECRET_KEY'),
      region: setting('S3_REGION'),
      bucket: `named-servers-${crypto.randomUUID().slice(0, 8)}`,
    },
  };
  names = await startNameServer([BEFORE], {
    host: NAME_SERVER,
    port: 53,
    timeToLiveSeconds: TIME_TO_LIVE_SECONDS,
  });
  links = await openLinks(BEFORE);
  client = await startClient(settings);
  answers = linesOf(client.stdout);
}, START_LIMIT_MS);

afterAll(async () => {
  await client?.stdin.end();
  await client?.exited;
  await Promise.all(links.map((link) => link.stop()));
  await names?.stop();
  await rm(dir, { recursive: true, force: true });
}, START_LIMIT_MS);

/**
 * A process that uses the test's name server, as its own mount namespace has another /etc/resolv.conf. A user who is
 * not root gets the mount namespace together with a user namespace, where the kernel allows those, and has to be
 * allowed to use port 53.
 */
async function startClient(settings: NamedServers) {
  const resolvConf = join(dir, 'resolv.conf');
  await writeFile(resolvConf, `nameserver ${NAME_SERVER}\noptions timeout:1 attempts:2\n`);
  const asRoot = process.geteuid?.() === 0 ? [] : ['--map-root-user'];
  const mounted = 'mount --bind "$1" /etc/resolv.conf && shift && exec "$@"';
  const script = join(import.meta.dirname, 'named-servers-client.ts');
  const command = [process.execPath, 'run', script, JSON.stringify(settings)];
  return Bun.spawn(['unshare', '--mount', ...asRoot, 'sh', '-c', mounted, 'sh', resolvConf, ...command], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  });
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    yield* lines;
  }
}

test('servers are found by name, and all of them get another address', async () => {
  for (const name of USES) expect([name, await use(name)]).toEqual([name, 'ok']);
  await Promise.all(links.map((link) => link.stop()));
  names.setAddresses([AFTER]);
  links = await openLinks(AFTER);
});

test.each(USES)(
  'the %s adapter finds its server again, though the former address may still be kept',
  async (name) => {
    let outcome = '';
    const works = async (): Promise<boolean> => {
      outcome = await use(name);
      return outcome === 'ok';
    };
    await until(`${name} works again`, works, MOVED_LIMIT_MS).catch((error: unknown) => {
      throw new Error(`at last: ${outcome}`, { cause: error });
    });
  },
);
