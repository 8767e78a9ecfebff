import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { $ } from 'bun';
import { answersOk } from './answers.ts';
import { commandPath, ensureCommands } from './debian.ts';
import { freePort } from './port.ts';
import type { S3Server } from './s3.ts';
import { createChildServer } from './server.ts';

type SwiftPorts = {
  proxy: number;
  account: number;
  container: number;
  object: number;
  memcached: number;
};

const swiftCredentials = {
  accessKey: 'test:tester',
  secretKey: 'testing',
  region: 'us-east-1',
} as const;

const storageKinds = ['account', 'container', 'object'] as const;

/** Where the cluster lives, and the user it runs as: the one who starts it, as Swift would else become `swift`. */
type SwiftPlace = { folder: string; user: string; ports: SwiftPorts };

/** `workers = 0` serves in the process itself, without a second one that watches it. */
function common({ folder, user }: SwiftPlace, port: number): string {
  return `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${user}
swift_dir = ${folder}
devices = ${folder}/data
mount_check = false
disable_fallocate = true
fallocate_reserve = 0
log_level = WARNING
`;
}

// The patience is for a busy machine: Swift's own half second to connect would turn load into 503s, and its error
// limits would keep a server out for a minute after it was paused or killed.
const PATIENCE = `conn_timeout = 10
node_timeout = 60
`;

function storageServer(kind: (typeof storageKinds)[number], place: SwiftPlace): string {
  const waits = kind === 'object' ? 'container_update_timeout = 30\n' : '';
  return `${common(place, place.ports[kind])}${waits}
[pipeline:main]
pipeline = healthcheck ${kind}-server

[app:${kind}-server]
use = egg:swift#${kind}
${PATIENCE}
[filter:healthcheck]
use = egg:swift#healthcheck
`;
}

function proxyServer(place: SwiftPlace): string {
  const { accessKey, secretKey, region } = swiftCredentials;
  const [account, user] = accessKey.split(':');
  const pipeline =
    'catch_errors gatekeeper healthcheck cache listing_formats s3api tempauth copy slo dlo proxy-server';
  return `${common(place, place.ports.proxy)}
[pipeline:main]
pipeline = ${pipeline}

[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
error_suppression_limit = 1000000
error_suppression_interval = 0
${PATIENCE}
[filter:s3api]
use = egg:swift#s3api
location = ${region}

[filter:tempauth]
use = egg:swift#tempauth
user_${account}_${user} = ${secretKey} .admin

[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${place.ports.memcached}
memcache_max_connections = 16
error_suppression_interval = 0

${['catch_errors', 'gatekeeper', 'healthcheck', 'copy', 'listing_formats', 'slo', 'dlo']
  .map((filter) => `[filter:${filter}]\nuse = egg:swift#${filter}\n`)
  .join('\n')}`;
}

const SWIFT_CONF = `[swift-hash]
swift_hash_path_prefix = perch
swift_hash_path_suffix = perch

[storage-policy:0]
name = default
default = yes
`;

/** Every file `swift.py` reads, by name. */
function swiftFiles(place: SwiftPlace, memcachedCommand: string[]): Record<string, string> {
  return {
    'swift.conf': SWIFT_CONF,
    'ports.json': JSON.stringify({ ports: place.ports, memcached: memcachedCommand }),
    'proxy-server.conf': proxyServer(place),
    ...Object.fromEntries(storageKinds.map((kind) => [`${kind}-server.conf`, storageServer(kind, place)])),
  };
}

const LAUNCHER = join(import.meta.dirname, 'swift.py');

/** Debian's own Python, where the Swift packages put their modules; another may come first on the PATH. */
const PYTHON = '/usr/bin/python3';

/** The commands that Swift consists of. */
export const swiftCommands = [
  'swift-proxy-server',
  'swift-account-server',
  'swift-container-server',
  'swift-object-server',
  'memcached',
] as const;

/** OpenStack Swift with its S3 API on loopback ports, objects and metadata in `dir`, which must support xattrs. */
export async function startSwift(options: { dir: string; port?: number }): Promise<S3Server> {
  await ensureCommands([...swiftCommands, 'setpriv']);
  const dir = resolve(options.dir);
  const ports: SwiftPorts = {
    proxy: options.port ?? (await freePort()),
    account: await freePort(),
    container: await freePort(),
    object: await freePort(),
    memcached: await freePort(),
  };
  const user = (await $`id -un`.text()).trim();
  const memcached = [
    commandPath('memcached'),
    ...['-u', user, '-l', '127.0.0.1', '-p', String(ports.memcached), '-U', '0', '-m', '32', '-t', '1'],
  ];
  await mkdir(dir, { recursive: true });
  for (const [name, text] of Object.entries(swiftFiles({ folder: dir, user, ports }, memcached))) {
    await writeFile(join(dir, name), text);
  }
  const server = createChildServer({
    name: 'S3 (Swift)',
    port: ports.proxy,
    // -I keeps PYTHON* variables and the folder of the script out of the module search.
    command: [PYTHON, '-I', LAUNCHER, dir],
    workingDirectory: dir,
    logFile: join(dir, 'server.log'),
    isReady: async () => {
      const { proxy, account, container, object } = ports;
      const addresses = [proxy, account, container, object].map(
        (own) => `http://127.0.0.1:${own}/healthcheck`,
      );
      const answers = await Promise.all(addresses.map(answersOk));
      return answers.every(Boolean);
    },
  });
  await server.start();
  return { ...server, endpoint: `http://127.0.0.1:${ports.proxy}`, ...swiftCredentials };
}
