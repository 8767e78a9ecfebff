import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { GATEWAY_NEEDS, loadConfig, SERVICE_NEEDS } from '../../shared/config.ts';
import { parseServerList } from '../../shared/server-list.ts';
import { dataOf, environmentOf, madeSecret } from './kubernetes-environment.ts';
import { changedObjects, deletedObjects, HA_MANIFESTS, haObjects, ownHaObjects } from './kubernetes-ha.ts';
import {
  allObjects,
  appliedObjects,
  type Kind,
  type KubernetesObject,
  nameOf,
  ofKind,
  selects,
  workloadsOf,
} from './kubernetes-objects.ts';
import { checkFields, checkValues } from './kubernetes-schema.ts';
import { letsThrough, type Party } from './kubernetes-traffic.ts';

const objects = await haObjects();
const own = await ownHaObjects();
const secret = await madeSecret('ha');
const workloads = workloadsOf(objects);
const servers = workloads.filter(({ name }) => workloadsOf(own).some((one) => one.name === name));
const cluster = ofKind(objects, 'Cluster')[0];

/** Names of the pods of a StatefulSet, as they are found by the others. */
const hostsOf = (name: string): string[] => {
  const set = ofKind(objects, 'StatefulSet').find((object) => nameOf(object) === name);
  return Array.from({ length: set?.spec?.replicas ?? 0 }, (_, n) => `${name}-${n}.${set?.spec?.serviceName}`);
};

const variable = (name: string, key: string): string[] => {
  const { container } = workloads.find((workload) => workload.name === name) ?? {};
  return (container?.env?.find((one) => one.name === key)?.value ?? '').split(' ');
};

/** The field of a Cluster that CloudNativePG has since 1.28: the types that the fields are held against are of an earlier one. */
const NEWER_FIELD = 'failoverQuorum';

const withoutNewerField = <T>(object: T): T =>
  JSON.parse(JSON.stringify(object, (name, value) => (name === NEWER_FIELD ? undefined : value)));

test('its objects have values and fields that the published APIs know', async () => {
  const all = [...own, ...(await changedObjects())];
  for (const object of all) checkValues(object);
  expect(await checkFields(all.map(withoutNewerField))).toEqual([]);
  const misspelt = JSON.parse(
    JSON.stringify(withoutNewerField(cluster)).replace('"synchronous"', '"synchronus"'),
  );
  expect(await checkFields([misspelt])).toEqual([expect.stringContaining('\'"synchronus"\'')]);
});

test('no server of one pod is left that Perch needs, but the S3 server, which is the operator’s', async () => {
  const single = ofKind(objects, 'StatefulSet').filter(({ spec }) => (spec?.replicas ?? 1) === 1);
  expect(single.map(nameOf).toSorted()).toEqual(['clamd', 'minio']);
  const gone = (await deletedObjects()).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  for (const kind of ['StatefulSet', 'Service'])
    expect(gone).toEqual(expect.arrayContaining([`${kind} postgres`, `${kind} redis`]));
});

test('a commit of PostgreSQL waits for one of two standbys, so that either may be away', () => {
  const { instances, postgresql } = cluster?.spec ?? {};
  expect(instances).toBe(3);
  expect(postgresql?.synchronous).toMatchObject({ method: 'any', number: 1 });
  expect(postgresql?.parameters?.synchronous_commit).toBeUndefined();
});

test('only a standby with every acknowledged commit is promoted, and no node has two servers of PostgreSQL', () => {
  expect(cluster?.spec.postgresql?.synchronous).toHaveProperty(NEWER_FIELD, true);
  expect(cluster?.spec.affinity).toEqual({
    enablePodAntiAffinity: true,
    podAntiAffinityType: 'required',
    topologyKey: 'kubernetes.io/hostname',
  });
});

test('each NATS server, Redis server and sentinel has a node of its own, for which the simple installation does not ask', async () => {
  const spreadOf = (name: string, all: KubernetesObject[]) => {
    const set = ofKind(all, 'StatefulSet').find((object) => nameOf(object) === name);
    const { topologySpreadConstraints = [] } = set?.spec?.template.spec ?? {};
    const ofNodes = topologySpreadConstraints.find(
      ({ topologyKey }) => topologyKey === 'kubernetes.io/hostname',
    );
    return { replicas: set?.spec?.replicas, ...ofNodes };
  };
  for (const [name, count] of [
    ['nats', 3],
    ['redis-sentinel', 3],
    ['redis-member', 2],
  ] as const) {
    const { replicas, minDomains, maxSkew, whenUnsatisfiable, labelSelector } = spreadOf(name, objects);
    expect([name, replicas, minDomains, maxSkew]).toEqual([name, count, count, 1]);
    expect(whenUnsatisfiable).toBe('DoNotSchedule');
    const selected = workloads.filter(({ labels }) => selects(labelSelector?.matchLabels, labels));
    expect(selected.map((workload) => workload.name)).toEqual([name]);
  }
  const simple = await appliedObjects();
  for (const { pod } of workloadsOf(simple))
    for (const constraint of pod.topologySpreadConstraints ?? [])
      expect(constraint.whenUnsatisfiable).toBe('ScheduleAnyway');
  expect(spreadOf('nats', simple).replicas).toBe(3);
});

test('PostgreSQL has the connections and the buffers of the single server', async () => {
  const single = workloadsOf(await allObjects()).find(({ name }) => name === 'postgres');
  const settings = single?.container.args?.filter((argument) => argument !== '-c');
  const parameters = Object.entries(cluster?.spec.postgresql?.parameters ?? {});
  expect(parameters.map(([name, value]) => `${name}=${value}`)).toEqual(settings ?? []);
});

test('every service starts, and is led to all servers there are', () => {
  const deployments = workloads.filter(({ kind }) => kind === 'Deployment');
  expect(deployments).toHaveLength(5);
  for (const workload of deployments) {
    const required = workload.name === 'gateway' ? GATEWAY_NEEDS : SERVICE_NEEDS;
    const config = loadConfig(environmentOf(workload, objects, secret), required);
    const sentinels = parseServerList(config.redisUrl ?? '');
    expect([sentinels?.protocol, sentinels?.path]).toEqual(['redis+sentinel:', 'perch']);
    expect(sentinels?.servers).toEqual(hostsOf('redis-sentinel').map((host) => ({ host, port: 26379 })));
    expect(sentinels?.query.get('sentinelPassword')).toBe(secret.REDIS_PASSWORD ?? '');
    if (workload.name === 'gateway') continue;
    const postgres = parseServerList(config.pgUrl ?? '');
    expect(postgres?.servers).toEqual([{ host: `${cluster?.metadata.name}-rw`, port: 5432 }]);
    expect(postgres?.query.get('target_session_attrs')).toBe('read-write');
    const { database, owner, secret: ownerSecret } = cluster?.spec.bootstrap?.initdb ?? {};
    expect([postgres?.path, postgres?.username]).toEqual([database ?? '', owner ?? '']);
    expect(ownerSecret?.name).toBe('perch-database');
  }
});

test('servers of Redis and sentinels know one another by the names of their pods', () => {
  const [members, sentinels] = [hostsOf('redis-member'), hostsOf('redis-sentinel')];
  expect([members.length, sentinels.length]).toEqual([2, 3]);
  expect(variable('redis-member', 'REDIS_HOSTS')).toEqual(members);
  expect(variable('redis-member', 'SENTINEL_HOSTS')).toEqual(sentinels);
  expect(variable('redis-sentinel', 'REDIS_HOSTS')).toEqual(members);
  for (const name of ['redis-member', 'redis-sentinel'])
    expect(variable(name, 'HOST')).toEqual([`$(POD_NAME).${name}`]);
});

test('each runs its script of the repository', async () => {
  for (const [name, script] of [
    ['redis-member', 'redis-member.sh'],
    ['redis-sentinel', 'redis-sentinel.sh'],
  ] as const) {
    const text = await Bun.file(join(HA_MANIFESTS, script)).text();
    expect(dataOf(objects, name)).toEqual({ [script]: text });
    const { container, pod } = workloads.find((workload) => workload.name === name) ?? {};
    expect(container?.command).toEqual(['sh', `/perch/${script}`]);
    const mounts = container?.volumeMounts?.map((mount) => mount.name) ?? [];
    const volumes = ['data', ...(pod?.volumes ?? []).map((volume) => volume.name)];
    expect(mounts.toSorted()).toEqual(volumes.toSorted());
  }
});

test('each has a budget for disruptions and labels of its own', () => {
  const budgets = ofKind(objects, 'PodDisruptionBudget').map(nameOf);
  for (const { name, labels, selector } of servers) {
    expect(budgets).toContain(name);
    expect(workloads.filter((other) => selects(selector, other.labels)).map((other) => other.name)).toEqual([
      name,
    ]);
    expect(labels['app.kubernetes.io/part-of']).toBe('perch');
  }
});

test('a restore starts by one label all servers, and the policies by which they speak to one another', () => {
  const started = objects.filter(({ metadata }) =>
    selects({ 'app.kubernetes.io/part-of': 'perch' }, metadata?.labels ?? {}),
  );
  const names = (kind: Kind, of: KubernetesObject[]): string[] => ofKind(of, kind).map(nameOf).toSorted();
  for (const kind of ['StatefulSet', 'Cluster', 'Job'] as const)
    expect([kind, names(kind, started)]).toEqual([kind, names(kind, objects)]);
  expect(names('NetworkPolicy', started)).toEqual(expect.arrayContaining(names('NetworkPolicy', own)));
  expect(names('Deployment', started)).toEqual([]);
});

test('sentinels are reached by Perch and by Redis alone, and PostgreSQL’s servers by one another', () => {
  const pods = new Map<string, Party>(workloads.map(({ name, labels }) => [name, { pod: labels }]));
  const postgres: Party = { pod: cluster?.spec.inheritedMetadata?.labels ?? {} };
  const reaching = (to: Party, port: number): string[] =>
    [...pods].filter(([, from]) => letsThrough(objects, from, to, port)).map(([name]) => name);
  const services = ['analytics', 'content', 'gateway', 'kv', 'site'];
  const redis = ['redis-member', 'redis-sentinel'];
  const sorted = (names: string[]): string[] => names.toSorted();
  expect(sorted(reaching(pods.get('redis-sentinel') ?? null, 26379))).toEqual(
    sorted([...services, ...redis]),
  );
  expect(sorted(reaching(pods.get('redis-member') ?? null, 6379))).toEqual(sorted([...services, ...redis]));
  expect(sorted(reaching(postgres, 5432))).toEqual(services.filter((name) => name !== 'gateway'));
  expect(reaching(postgres, 8000)).toEqual([]);
  const operator: Party = { namespace: { 'kubernetes.io/metadata.name': 'cnpg-system' } };
  for (const port of [5432, 8000])
    expect([postgres, operator].map((from) => letsThrough(objects, from, postgres, port))).toEqual([
      true,
      true,
    ]);
  // The API of the cluster has an address of its own in each.
  expect(letsThrough(objects, postgres, null, 443)).toBe(true);
  expect(letsThrough(objects, null, postgres, 5432)).toBe(false);
});
