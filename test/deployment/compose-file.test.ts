import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../shared/config.ts';
import {
  COMPOSE_TEXT,
  type ComposeFile,
  type ComposeService,
  faultsOf,
  PROJECT,
  readComposeFile,
  variablesIn,
} from './compose-file.ts';

const file = readComposeFile();
const services = Object.entries(file.services);
const OURS = ['gateway', 'content', 'kv', 'site', 'analytics'];
/** Services that end when their work is done. */
const JOBS = ['service-role', 'grafana-role', 'bucket'];
/** Started with a profile of that name only. */
const SCAN = ['clamd', 'freshclam'];

const inSeconds = (duration = '0s'): number => Number(/^(\d+)s$/.exec(duration)?.[1] ?? Number.NaN);

test('the file is as the Compose Specification says', () => {
  expect(faultsOf(Bun.YAML.parse(COMPOSE_TEXT))).toEqual([]);
  expect(faultsOf(file)).toEqual([]);
});

test.each([
  { services: { a: { imagee: 'x' } } },
  { services: { a: { image: 'x', ports: 'no list' } } },
  { services: { a: { image: 'x', depends_on: { b: { condition: 'healthy' } } } } },
  { service: {} },
])('the schema refuses what is wrong: %j', (wrong) => {
  expect(faultsOf(wrong)).not.toEqual([]);
});

test('all parts are there', () => {
  const others = ['proxy', 'redis', 'nats', 'postgres', 'minio', ...JOBS, 'prometheus', 'grafana', ...SCAN];
  expect(services.map(([name]) => name).sort()).toEqual([...OURS, ...others].sort());
  expect(file.services.minio?.image).toBe('pgsty/silo:latest');
  expect(readComposeFile({ MINIO_IMAGE: 'other/s3:1' }).services.minio?.image).toBe('other/s3:1');
});

test.each(services)('%s can do no more than it has to', (name, service) => {
  expect(service.read_only).toBe(true);
  expect(service.cap_drop).toEqual(['ALL']);
  expect(service.cap_add ?? []).toEqual(name === 'proxy' ? ['NET_BIND_SERVICE'] : []);
  expect(service.security_opt).toEqual(['no-new-privileges:true']);
  const limits = service.deploy?.resources.limits;
  expect(Number(limits?.cpus)).toBeGreaterThan(0);
  // More than the machine has is an error of Docker's.
  expect(Number(limits?.cpus)).toBeLessThanOrEqual(2);
  expect(limits?.memory).toMatch(/^\d+[MG]$/);
  expect(limits?.pids).toBeGreaterThan(0);
  expect(service.logging?.options).toEqual({ 'max-size': '10m', 'max-file': '5' });
});

test.each(services.filter(([name]) => !JOBS.includes(name)))(
  '%s runs on, and says how it is',
  (_, service) => {
    expect(service.restart).toBe('unless-stopped');
    expect(['CMD', 'CMD-SHELL']).toContain(service.healthcheck?.test?.[0] ?? '');
  },
);

test.each(services)('%s waits for others that can be waited for', (_, service) => {
  for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
    const isOneShot = file.services[other]?.healthcheck?.disable === true;
    expect(condition).toBe(isOneShot ? 'service_completed_successfully' : 'service_healthy');
    expect(file.services[other]).toBeDefined();
  }
});

test('the documented restore builds the image before it starts a job that has it and does not build it', () => {
  const documented = readFileSync(join(PROJECT, 'docs/compose.md'), 'utf8');
  const [, before, started] = /(To restore,.*?)docker compose up -d ([a-z -]+)/s.exec(documented) ?? [];
  expect(started?.split(' ')).toContain('bucket');
  expect(service('bucket').image).toBe(service('gateway').image ?? '');
  expect(service('bucket').build).toBeUndefined();
  expect(before).toContain('docker compose build');
});

test('services of one kind can be many: none has a name or a port of the host', () => {
  for (const name of OURS) {
    const { container_name, ports = [], image, init, stop_grace_period } = service(name);
    expect({ container_name, ports, image, init }).toEqual({
      container_name: undefined,
      ports: [],
      image: 'perch:local',
      init: true,
    });
    // A process ends itself 15 seconds after it was asked to and has told so, at the latest.
    const drain = Number(service(name).environment?.DRAIN_SECONDS);
    expect(inSeconds(stop_grace_period)).toBeGreaterThan(15 + drain);
  }
});

test('the image that six services run is built once', () => {
  const built = services.filter(([, { build }]) => build !== undefined);
  expect(built.map(([name, { image }]) => [name, image])).toEqual([['gateway', 'perch:local']]);
  expect(service('gateway').build).toEqual({ context: '.', dockerfile: 'infra/Dockerfile' });
});

test('gateways share no folder for uploads', () => {
  const uploads = service('gateway').volumes?.find((volume) => typeof volume !== 'string');
  expect(uploads).toEqual({ type: 'volume', target: '/uploads' });
  expect(service('gateway').environment?.UPLOAD_DIR).toBe('/uploads');
});

test('only the proxy and Grafana are to be reached, and beside them only what fetches signatures has a way outside', () => {
  const published = services.filter(([, { ports = [] }]) => ports.length > 0).map(([name]) => name);
  expect(published.sort()).toEqual(['grafana', 'proxy']);
  expect(service('grafana').ports).toEqual(['127.0.0.1:3000:3000']);
  const open = Object.entries(file.networks).filter(([, network]) => network?.internal !== true);
  expect(open.map(([name]) => name)).toEqual(['public', 'signatures']);
  expect(service('freshclam').networks).toEqual(['signatures']);
  const outside = services.filter(([, { networks = [] }]) => networks.includes('public'));
  expect(outside.map(([name]) => name).sort()).toEqual(['grafana', 'proxy']);
  const fetching = services.filter(([, { networks = [] }]) => networks.includes('signatures'));
  expect(fetching.map(([name]) => name)).toEqual(['freshclam']);
  // From there the way to the data leads through a gateway, or by the role that reads.
  for (const name of ['proxy', 'grafana']) expect(service(name).networks).not.toContain('back');
});

test('the profile scan starts a scanner that content and site reach, and that reaches nobody', () => {
  for (const [name, { profiles = [] }] of services)
    expect([name, profiles]).toEqual([name, SCAN.includes(name) ? ['scan'] : []]);
  const beside = services.filter(([, { networks = [] }]) => networks.includes('scan')).map(([name]) => name);
  expect(beside.toSorted()).toEqual(['clamd', 'content', 'site']);
  expect(service('clamd').networks).toEqual(['scan']);
  for (const name of SCAN) {
    expect(service(name)).toMatchObject({ user: 'clamav', image: service('clamd').image ?? '' });
    expect(service(name).secrets ?? []).toEqual([]);
  }
  // Content may be hostile to its parser: clamd cannot change the signatures.
  expect(service('clamd').volumes).toContain('clamav-signatures:/var/lib/clamav:ro');
  expect(service('freshclam').volumes).toContain('clamav-signatures:/var/lib/clamav');
  for (const { depends_on = {} } of Object.values(file.services))
    for (const name of SCAN) expect(Object.keys(depends_on)).not.toContain(name);
});

test('what the guide says about scanning leads to the scanner of the profile', () => {
  const guide = readFileSync(join(PROJECT, 'docs/compose.md'), 'utf8');
  const [, block = ''] = /## Scanning\n.*?```sh\n(.*?)```/s.exec(guide) ?? [];
  expect(block.trim().split('\n')).toEqual(['COMPOSE_PROFILES=scan', 'CLAMD_URL=tcp://clamd:3310']);
  const conf = readFileSync(join(PROJECT, 'infra/clamav/clamd.conf'), 'utf8');
  expect(conf).toMatch(/^TCPSocket 3310$/m);
  const limit = Number(/^StreamMaxLength (\d+)M$/m.exec(conf)?.[1]) * 1_048_576;
  expect(limit).toBeGreaterThanOrEqual(loadConfig({}).scanning.maxBytes);
  // All that is looked through at once lies there.
  const threads = Number(/^MaxThreads (\d+)$/m.exec(conf)?.[1]);
  expect(service('clamd').tmpfs).toEqual(['/tmp:size=1g']);
  expect(threads * limit).toBeLessThan(2 ** 30);
});

test('what the guide puts into an override file gives Prometheus a way to an Alertmanager, and takes nothing away', () => {
  const guide = readFileSync(join(PROJECT, 'docs/compose.md'), 'utf8');
  const blocks = Array.from(guide.matchAll(/```yaml\n(.*?)```/gs), ([, text = '']) => Bun.YAML.parse(text));
  const [override, addition] = blocks as [Pick<ComposeFile, 'services'>, Record<string, unknown>];
  expect(blocks).toHaveLength(2);
  expect(faultsOf(override)).toEqual([]);
  expect(Object.keys(override.services)).toEqual(['prometheus']);
  const { networks = [], volumes = [], ...rest } = override.services.prometheus ?? {};
  expect(rest).toEqual({});
  const { networks: own = [], volumes: mounts = [] } = service('prometheus');
  expect(networks.toSorted()).toEqual([...own, 'public'].toSorted());
  const targetOf = (volume: unknown) => String(volume).split(':')[1];
  expect(volumes.map(targetOf)).toEqual(['/etc/prometheus/prometheus.yml']);
  expect(mounts.map(targetOf)).toContain('/etc/prometheus/prometheus.yml');
  const settings = Bun.YAML.parse(readFileSync(join(PROJECT, 'infra/grafana/prometheus.yml'), 'utf8'));
  expect(Object.keys(addition)).toEqual(['alerting']);
  expect(settings).not.toHaveProperty('alerting');
});

test('what speaks to one another shares a network', () => {
  const share = (one: string, other: string): boolean =>
    service(one).networks?.some((network) => service(other).networks?.includes(network)) ?? false;
  for (const [name, { depends_on = {} }] of services) {
    for (const other of Object.keys(depends_on).filter((other) => !JOBS.includes(other))) {
      expect([name, other, share(name, other)]).toEqual([name, other, true]);
    }
  }
  for (const name of OURS) expect(share('prometheus', name)).toBe(true);
  expect(share('grafana', 'postgres')).toBe(true);
});

test('every file that is mounted exists, and nobody writes to it', () => {
  const mounts = services.flatMap(([, { volumes = [] }]) =>
    volumes.filter((volume) => typeof volume === 'string'),
  );
  const files = mounts.filter((mount) => mount.startsWith('.'));
  expect(files.length).toBeGreaterThan(6);
  for (const mount of files) {
    const [source = '', , mode] = mount.split(':');
    expect([source, existsSync(join(PROJECT, source)), mode]).toEqual([source, true, 'ro']);
  }
  const named = mounts.filter((mount) => !mount.startsWith('.')).map((mount) => mount.split(':')[0]);
  expect([...new Set(named)].sort()).toEqual(Object.keys(file.volumes).sort());
});

test('a secret is mounted where it is used, and used where it is mounted', () => {
  for (const [name, { environment = {}, entrypoint = [], secrets = [] }] of services) {
    const text = [...Object.values(environment), ...entrypoint].join('\n');
    const used = Object.keys(file.secrets).filter((secret) =>
      new RegExp(`(^|/)${secret}\\b`, 'm').test(text),
    );
    expect([name, ...used.sort()]).toEqual([name, ...[...secrets].sort()]);
  }
  for (const [name, secret] of Object.entries(file.secrets))
    expect(secret).toEqual({ file: `./secrets/${name}` });
  // The key of IndexNow is read by everybody.
  expect(COMPOSE_TEXT).not.toMatch(/PASSWORD: |SECRET: |(?<!INDEXNOW)_KEY: /);
});

test('the example of an .env names every variable of the file, and no other', () => {
  const example = readFileSync(join(PROJECT, '.env.compose.example'), 'utf8');
  const named = Array.from(example.matchAll(/^#?([A-Z0-9_]+)=/gm), ([, name = '']) => name);
  const text = COMPOSE_TEXT.replaceAll(/^\s*#.*$/gm, '');
  // Compose reads the profiles by itself.
  const all = new Set([...variablesIn(text), 'COMPOSE_PROFILES']);
  expect(named.toSorted()).toEqual([...all].toSorted());
});

test('no variable is left for Compose to warn about: each says what stands for it', () => {
  const text = COMPOSE_TEXT.replaceAll(/^\s*#.*$/gm, '').replaceAll('$$', '');
  expect(text.match(/\$(?!\{\w+:?[-+])\S*/g)).toBeNull();
});

test('no container makes a volume without a name but the one for uploads', () => {
  // The volumes that the images declare.
  const declared: Record<string, string> = {
    'postgres:18': '/var/lib/postgresql',
    'redis:8-alpine': '/data',
    'pgsty/silo:latest': '/data',
    'prom/prometheus:v3.13.3': '/prometheus',
  };
  for (const [name, { image = '', volumes = [], tmpfs = [] }] of services) {
    const target = declared[image];
    if (target === undefined) continue;
    const mounts = [...volumes.map((volume) => String(volume).split(':')[1]), ...tmpfs];
    expect([name, mounts.includes(target)]).toEqual([name, true]);
  }
});

test('NATS is told the memory of its container', () => {
  const { environment = {}, deploy } = service('nats');
  const most = Number(/^(\d+)M$/.exec(deploy?.resources.limits.memory ?? '')?.[1]);
  expect(Number(/^(\d+)MiB$/.exec(environment.GOMEMLIMIT ?? '')?.[1])).toBeLessThanOrEqual(most * 0.8);
});

test('only who administers a server knows its own password', () => {
  const knowing = (secret: string) =>
    services
      .filter(([, { secrets = [] }]) => secrets.includes(secret))
      .map(([name]) => name)
      .sort();
  expect(knowing('postgres-password')).toEqual(['grafana-role', 'postgres', 'service-role']);
  expect(knowing('minio-root-password')).toEqual(['bucket', 'minio']);
  expect(knowing('nats-passwords')).toEqual(['nats']);
  expect(knowing('redis-password')).toEqual(['redis']);
  expect(knowing('cookie-secret')).toEqual(['gateway']);
  for (const name of OURS) expect(knowing(`nats-url-${name}`)).toEqual([name]);
});

function service(name: string): ComposeService {
  const found = file.services[name];
  if (found === undefined) throw new Error(`no service ${name}`);
  return found;
}
