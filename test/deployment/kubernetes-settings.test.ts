import { expect, test } from 'bun:test';
import { type Config, GATEWAY_NEEDS, loadConfig, SERVICE_NEEDS } from '../../shared/config.ts';
import { parseServerList } from '../../shared/server-list.ts';
import { PROJECT } from './compose-file.ts';
import { dataOf, environmentOf, madeSecret } from './kubernetes-environment.ts';
import { appliedObjects, nameOf, objectsIn, ofKind, workloadsOf } from './kubernetes-objects.ts';

const objects = await appliedObjects();
const secret = await madeSecret();
const deployments = workloadsOf(objects).filter(({ kind }) => kind === 'Deployment');
const services = deployments.filter(({ name }) => name !== 'gateway');

/** Settings that the manifests leave at their defaults: nothing is kept in a folder, a day is a day, and who wants messages adds their secrets. */
const LEFT_OUT = ['DATA_DIR', 'SHARED_PORT', 'TTL_DAY_SECONDS', 'WEBHOOK_SECRET', 'SMTP_URL'];

/** Loads the settings as the process does, and tells which variables it looked at. */
function load(environment: Record<string, string>, required: readonly string[]) {
  const looked = new Set<string>();
  const watched = new Proxy(environment, {
    get: (variables, name) => {
      looked.add(String(name));
      return variables[String(name)];
    },
  });
  return { config: loadConfig(watched, required), looked };
}

const configs = new Map<string, { config: Config; looked: Set<string>; given: string[] }>();
for (const workload of deployments) {
  const environment = environmentOf(workload, objects, secret);
  const required = workload.name === 'gateway' ? GATEWAY_NEEDS : SERVICE_NEEDS;
  configs.set(workload.name, { ...load(environment, required), given: Object.keys(environment) });
}

test('every service starts with what its Deployment gives it, and is given nothing it does not know', () => {
  expect([...configs.keys()].toSorted()).toEqual(['analytics', 'content', 'gateway', 'kv', 'site']);
  for (const { looked, given } of configs.values())
    expect(given.filter((name) => !looked.has(name))).toEqual([]);
});

test('every setting is given to the gateway, and to no other service what is none of its business', () => {
  const { looked = new Set<string>(), given = [] } = configs.get('gateway') ?? {};
  // A secret is read from a file instead where its name ends so.
  const wanted = [...looked].filter((name) => !name.endsWith('_FILE') && !LEFT_OUT.includes(name));
  expect(wanted.filter((name) => name !== 'PG_URL').toSorted()).toEqual(given.toSorted());
  for (const { name } of services) {
    const others = configs.get(name)?.given ?? [];
    expect(others).toContain('PG_URL');
    for (const own of ['ADMIN_PASSWORD', 'COOKIE_SECRET']) expect(others).not.toContain(own);
  }
});

test('the example of the Secret has the names of the one that is made, and no value', async () => {
  const example = ofKind(await objectsIn('secret.example.yaml'), 'Secret')[0];
  expect(Object.keys(example?.stringData ?? {}).toSorted()).toEqual(Object.keys(secret).toSorted());
  expect(Object.values(example?.stringData ?? {}).join('')).toBe('');
  expect([example?.metadata?.name, example?.metadata?.namespace]).toEqual(['perch-secrets', 'perch']);
  expect(Object.keys(dataOf(objects, 'perch-settings')).filter((name) => name in secret)).toEqual([]);
});

test('without the optional password a gateway starts, without another secret none does', () => {
  for (const workload of deployments) {
    const used = workload.container.env?.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef?.key ?? []) ?? [];
    for (const name of used) {
      const { [name]: _, ...others } = secret;
      const environment = () => environmentOf(workload, objects, others);
      if (name === 'ADMIN_PASSWORD') expect(load(environment(), []).config.adminPassword).toBeNull();
      else expect(environment).toThrow(name);
    }
  }
});

test('every process signs in on its own account, with the password that the server is given', () => {
  for (const [name, { config }] of configs) {
    const nats = parseServerList(config.natsUrl ?? '');
    expect([nats?.username, nats?.password]).toEqual([
      name,
      secret[`NATS_${name.toUpperCase()}_PASSWORD`] ?? '',
    ]);
    expect(nats?.password).toMatch(/^[a-z]/);
    expect(new URL(config.redisUrl ?? '').password).toBe(secret.REDIS_PASSWORD ?? '');
    expect(config.s3).toMatchObject({ accessKey: secret.S3_ACCESS_KEY, secretKey: secret.S3_SECRET_KEY });
    if (name === 'gateway') continue;
    const { username, password } = new URL(config.pgUrl ?? '');
    expect([username, password]).toEqual(['perch_service', secret.SERVICE_DATABASE_PASSWORD ?? '']);
  }
});

test('a server’s own password is for it and for the job that prepares it', () => {
  const knowing = (key: string): string[] =>
    workloadsOf(objects)
      .filter(({ container, pod }) => {
        const variables = container.env?.map(({ valueFrom }) => valueFrom?.secretKeyRef?.key) ?? [];
        const files = pod.volumes?.flatMap(({ secret: mounted }) => mounted?.items ?? []) ?? [];
        return [...variables, ...files.map((file) => file.key)].includes(key);
      })
      .map(({ name }) => name)
      .toSorted();
  expect(knowing('POSTGRES_PASSWORD')).toEqual(['postgres', 'service-role']);
  expect(knowing('MINIO_ROOT_PASSWORD')).toEqual(['bucket', 'minio']);
  expect(knowing('REDIS_PASSWORD')).toEqual(['redis']);
  expect(knowing('COOKIE_SECRET')).toEqual(['gateway']);
  expect(knowing('NATS_URL_KV')).toEqual(['kv']);
  // No volume holds all of the Secret.
  for (const { pod } of workloadsOf(objects))
    for (const { secret: mounted } of pod.volumes ?? []) if (mounted) expect(mounted.items).not.toBeEmpty();
});

/** A value for each setting that settings.yaml leaves empty. */
const OPTIONAL = {
  CONTENT_BASE_URL: 'https://pages.example.net',
  DNS_SERVERS: '10.0.0.2',
  INDEXNOW_KEY: 'a-key-of-indexnow',
  INDEXNOW_ENDPOINT: 'https://search.example.net/indexnow',
  WEBHOOK_URL: 'https://hooks.example.net/perch',
  EMAIL_FROM: 'perch@example.org',
  EMAIL_TO: 'operator@example.org',
  CLAMD_URL: 'tcp://clamd:3310',
  LINK_BLOCKLIST: '/lists/hosts',
};

test('the job for the bucket does its work whatever the settings say', async () => {
  const settings = dataOf(objects, 'perch-settings');
  const empty = Object.keys(settings).filter((name) => settings[name] === '');
  expect(Object.keys(OPTIONAL).toSorted()).toEqual(empty.toSorted());
  const asked: string[] = [];
  using server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ method, url }) => {
      asked.push(`${method} ${new URL(url).pathname}`);
      return new Response(null);
    },
  });
  const changed = { ...settings, ...OPTIONAL, CUSTOM_DOMAINS: 'true', S3_ENDPOINT: server.url.origin };
  const withAll = objects.map((object) =>
    object.kind === 'ConfigMap' && nameOf(object) === 'perch-settings'
      ? { ...object, data: changed }
      : object,
  );
  const job = workloadsOf(withAll).find(({ name }) => name === 'bucket');
  if (job === undefined) throw new Error('there is no job for the bucket');
  const run = Bun.spawn([process.execPath, ...(job.container.args ?? [])], {
    cwd: PROJECT,
    env: environmentOf(job, withAll, secret),
    stderr: 'pipe',
  });
  expect([await run.stderr.text(), await run.exited]).toEqual(['', 0]);
  expect(asked).toEqual([`HEAD /${settings.S3_BUCKET}`, 'PUT /minio/admin/v3/import-iam']);
});

test('every server that a setting names is a Service with that port', () => {
  for (const { config } of configs.values()) {
    const { redisUrl, natsUrl, s3, pgUrl } = config;
    for (const url of [redisUrl, natsUrl, s3?.endpoint ?? null, pgUrl]) {
      if (url === null) continue;
      for (const { host, port } of parseServerList(url)?.servers ?? []) {
        // A pod of a headless Service has a name below it.
        const service = ofKind(objects, 'Service').find(
          (object) => nameOf(object) === host.split('.').at(-1),
        );
        expect(service?.spec?.ports?.map((offered) => offered.port)).toEqual([port ?? 0]);
      }
    }
  }
});

test('every NATS server is named to its clients and to the others, and the stream is on all of them', () => {
  const server = workloadsOf(objects).find(({ name }) => name === 'nats');
  const count =
    ofKind(objects, 'StatefulSet').find((object) => nameOf(object) === 'nats')?.spec?.replicas ?? 0;
  const names = Array.from({ length: count }, (_, n) => `nats-${n}.nats`);
  const routes = server?.container.args?.find((argument) => argument.startsWith('nats://nats-')) ?? '';
  expect(parseServerList(routes)?.servers).toEqual(names.map((host) => ({ host, port: 6222 })));
  for (const { config } of configs.values()) {
    expect(parseServerList(config.natsUrl ?? '')?.servers.map(({ host }) => host)).toEqual(names);
    expect(config.natsStreamReplicas).toBe(count);
  }
});

test('the port, the folder for uploads and the public address are those of the manifests', () => {
  for (const { name, container } of deployments) {
    const { config } = configs.get(name) ?? {};
    expect(container.ports?.map(({ containerPort }) => containerPort)).toEqual([config?.port ?? 0]);
  }
  const gateway = deployments.find(({ name }) => name === 'gateway');
  const { config } = configs.get('gateway') ?? {};
  expect(gateway?.container.volumeMounts?.find(({ name }) => name === 'uploads')?.mountPath).toBe(
    config?.uploadDir ?? '',
  );
  const { spec } = ofKind(objects, 'Ingress')[0] ?? {};
  const hosts = spec?.rules?.map(({ host }) => `https://${host}`);
  expect(hosts).toEqual([config?.baseUrl ?? '']);
  expect(spec?.tls?.flatMap((tls) => tls.hosts ?? []).map((host) => `https://${host}`)).toEqual(hosts ?? []);
  expect(config?.trustProxy).toBe(1);
});
