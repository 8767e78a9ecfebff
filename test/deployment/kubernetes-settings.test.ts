import { expect, test } from 'bun:test';
import { type Config, loadConfig, SERVER_SETTINGS } from '../../shared/config.ts';
import { dataOf, documentedSecret, environmentOf } from './kubernetes-environment.ts';
import { appliedObjects, nameOf, objectsIn, ofKind, workloadsOf } from './kubernetes-objects.ts';

const objects = await appliedObjects();
const secret = await documentedSecret();
const deployments = workloadsOf(objects).filter(({ kind }) => kind === 'Deployment');
const services = deployments.filter(({ name }) => name !== 'gateway');

/** Settings that the manifests leave at their defaults: nothing is kept in a folder, and a day is a day. */
const LEFT_OUT = ['DATA_DIR', 'TTL_DAY_SECONDS'];

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
  const required = SERVER_SETTINGS.filter((name) => workload.name !== 'gateway' || name !== 'PG_URL');
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
    expect(others).not.toContain('ADMIN_PASSWORD');
  }
});

test('the example of the Secret has the names of the one that the documented command makes, and no value', async () => {
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

test('every server that a setting names is a Service with that port', () => {
  for (const { config } of configs.values()) {
    const { redisUrl, natsUrl, s3, pgUrl } = config;
    for (const url of [redisUrl, natsUrl, s3?.endpoint ?? null, pgUrl]) {
      if (url === null) continue;
      const { hostname, port } = new URL(url);
      const service = ofKind(objects, 'Service').find((object) => nameOf(object) === hostname);
      expect(service?.spec?.ports?.map((offered) => offered.port)).toEqual([Number(port)]);
    }
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
