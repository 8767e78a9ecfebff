import { expect, test } from 'bun:test';
import { DATABASE_CONNECTIONS } from '../../shared/wiring/dependencies.ts';
import { dataOf, quantity } from './kubernetes-environment.ts';
import { allObjects, nameOf, ofKind, workloadsOf } from './kubernetes-objects.ts';

const objects = await allObjects();
const workloads = workloadsOf(objects);
const settings = dataOf(objects, 'perch-settings');
const named = (name: string) => workloads.find((workload) => workload.name === name);

/** The most that a site's form may hold beside its files (docs/operations.md, Behind a proxy). */
const FORM_BYTES = 16 * 1_048_576;
/** Uploads may take so many times the largest site (docs/operations.md, Disk). */
const UPLOADS_PER_SITE = 8;
/** Longest stop of a process (docs/operations.md, Start and stop), in seconds. */
const STOP_SECONDS = 15;
/** Connections that PostgreSQL reserves for its superuser, and those of Grafana and an operator. */
const OTHER_CONNECTIONS = 3 + 10;

test('quantities are read as Kubernetes reads them', () => {
  expect(['500m', '2', 5, '1.5Gi', '64Mi', '1k'].map(quantity)).toEqual([
    0.5, 2, 5, 1_610_612_736, 67_108_864, 1000,
  ]);
  for (const wrong of ['', '5X', 'Gi', '-1', undefined]) expect(() => quantity(wrong)).toThrow();
});

test('the volume for uploads has room for all that may be on their way', () => {
  const gateway = named('gateway');
  const limit = quantity(gateway?.pod.volumes?.find(({ name }) => name === 'uploads')?.emptyDir?.sizeLimit);
  const needed = UPLOADS_PER_SITE * Number(settings.SITE_MAX_BYTES);
  expect(limit).toBeGreaterThanOrEqual(needed);
  const { requests, limits } = gateway?.container.resources ?? {};
  expect(quantity(requests?.['ephemeral-storage'])).toBeGreaterThanOrEqual(limit);
  // A pod over its limit is evicted: logs and other volumes lie beside the uploads.
  expect(quantity(limits?.['ephemeral-storage'])).toBeGreaterThan(limit);
});

test('the Ingress lets the largest site pass', () => {
  const annotations = ofKind(objects, 'Ingress')[0]?.metadata?.annotations ?? {};
  for (const name of ['nginx.org/client-max-body-size', 'nginx.ingress.kubernetes.io/proxy-body-size']) {
    const bytes = Number(/^(\d+)m$/.exec(annotations[name] ?? '')?.[1]) * 1_048_576;
    expect(bytes).toBeGreaterThanOrEqual(Number(settings.SITE_MAX_BYTES) + FORM_BYTES);
  }
});

test('the database has connections for all processes there may be, also while they are replaced', () => {
  const most = (name: string): number =>
    ofKind(objects, 'HorizontalPodAutoscaler').find((scaler) => nameOf(scaler) === name)?.spec?.maxReplicas ??
    ofKind(objects, 'Deployment').find((deployment) => nameOf(deployment) === name)?.spec?.replicas ??
    1;
  const surge = 1;
  const processes = ['content', 'kv', 'site', 'analytics'].reduce((sum, name) => sum + most(name) + surge, 0);
  const setting = named('postgres')?.container.args?.find((argument) =>
    argument.startsWith('max_connections='),
  );
  // One more each: migrations have a connection of their own.
  expect(Number(setting?.split('=')[1])).toBeGreaterThanOrEqual(
    processes * (DATABASE_CONNECTIONS + 1) + OTHER_CONNECTIONS,
  );
});

test('a process has the time that its stop may take, a gateway after it has gone on answering', () => {
  for (const { kind, name, pod, container } of workloads) {
    if (kind !== 'Deployment') continue;
    const before = Number(container.env?.find((variable) => variable.name === 'DRAIN_SECONDS')?.value ?? 0);
    expect(before > 0).toBe(name === 'gateway');
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(before + STOP_SECONDS + 5);
  }
});

test('every container says what it needs and what it may take at most', () => {
  for (const { resources } of workloads.flatMap(({ pod }) => pod.containers)) {
    const { requests, limits } = resources ?? {};
    for (const resource of Object.keys({ ...requests, ...limits }))
      expect(quantity(requests?.[resource])).toBeLessThanOrEqual(quantity(limits?.[resource]));
    expect(Object.keys(requests ?? {})).toEqual(expect.arrayContaining(['cpu', 'memory']));
  }
});

test('the caches and buffers of a gateway fit into its memory', () => {
  const bodies = 256 * 1_048_576;
  const indexes = 16 * 1_048_576;
  const memory = quantity(named('gateway')?.container.resources?.limits?.memory);
  expect(memory).toBeGreaterThan(2 * (bodies + indexes + Number(settings.CACHE_MAX_BYTES)));
});

test('Redis reaches the limit of its own before that of its container', () => {
  const { args = [], resources } = named('redis')?.container ?? {};
  const most = /^(\d+)gb$/.exec(args[args.indexOf('--maxmemory') + 1] ?? '')?.[1];
  expect(Number(most) * 2 ** 30 * 2).toBeLessThanOrEqual(quantity(resources?.limits?.memory));
});
