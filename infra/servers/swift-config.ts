export type SwiftPorts = {
  proxy: number;
  account: number;
  container: number;
  object: number;
  memcached: number;
};

export const swiftCredentials = {
  accessKey: 'test:tester',
  secretKey: 'testing',
  region: 'us-east-1',
} as const;

const storageKinds = ['account', 'container', 'object'] as const;

/** Where the cluster lives, and the user it runs as: the one who starts it, as Swift would else become `swift`. */
export type SwiftPlace = { folder: string; user: string; ports: SwiftPorts };

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
export function swiftFiles(place: SwiftPlace, memcachedCommand: string[]): Record<string, string> {
  return {
    'swift.conf': SWIFT_CONF,
    'ports.json': JSON.stringify({ ports: place.ports, memcached: memcachedCommand }),
    'proxy-server.conf': proxyServer(place),
    ...Object.fromEntries(storageKinds.map((kind) => [`${kind}-server.conf`, storageServer(kind, place)])),
  };
}
