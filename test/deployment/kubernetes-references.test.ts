import { expect, test } from 'bun:test';
import { resolve } from 'node:path';
import type { IContainer, IProbe } from 'kubernetes-models/v1';
import { readComposeFile, serviceOf } from './compose-file.ts';
import { dataOf, madeSecret } from './kubernetes-environment.ts';
import { ownHaObjects } from './kubernetes-ha.ts';
import {
  allObjects,
  type KubernetesObject,
  nameOf,
  ofKind,
  selects,
  type Workload,
  workloadsOf,
} from './kubernetes-objects.ts';

const objects = await allObjects();
const secret = await madeSecret();
const workloads = workloadsOf(objects);
const deployments = workloads.filter(({ kind }) => kind === 'Deployment');
const lasting = workloads.filter(({ kind }) => kind !== 'Job');
const INFRA = resolve(import.meta.dirname, '../../infra');

/** Services with an autoscaler; `site` and `analytics` have little to do, or work one at a time. */
const AUTOSCALED = ['content', 'gateway', 'kv'];

/** Whether a container listens there, by the port's name or number. */
const listens = ({ ports = [] }: IContainer, port: string | number | undefined): boolean =>
  ports.some(({ name, containerPort }) => name === port || containerPort === port);

const probesOf = ({ startupProbe, readinessProbe, livenessProbe }: IContainer): IProbe[] =>
  [startupProbe, readinessProbe, livenessProbe].filter((probe) => probe !== undefined);

test('every workload that lasts has all three probes, on ports where it listens', () => {
  for (const { container } of lasting) {
    const probes = probesOf(container);
    expect(probes).toHaveLength(3);
    for (const { httpGet, tcpSocket, exec } of probes) {
      const port = httpGet?.port ?? tcpSocket?.port;
      expect(exec !== undefined || listens(container, port)).toBe(true);
    }
  }
});

test('no gateway leaves when a server is away, and no process is ended for it', () => {
  for (const { name, container } of deployments) {
    const [startup, readiness, liveness] = probesOf(container).map(({ httpGet }) => httpGet?.path);
    expect([name, startup, liveness]).toEqual([name, '/healthz', '/healthz']);
    expect(readiness).toBe(name === 'gateway' ? '/healthz' : '/readyz');
  }
});

test('NATS goes on, and is found, when its volume is full: only its readiness asks for its streams', () => {
  const nats = workloads.find(({ name }) => name === 'nats');
  const paths = nats && probesOf(nats.container).map(({ httpGet }) => httpGet?.path);
  const [alive, withStreams] = ['/healthz?js-server-only=true', '/healthz?js-enabled-only=true'];
  expect(paths).toEqual([alive, withStreams, alive]);
  const service = ofKind(objects, 'Service').find((one) => nameOf(one) === 'nats');
  expect(service?.spec?.publishNotReadyAddresses).toBe(true);
});

test('Prometheus is led to the port where the metrics are', () => {
  for (const deployment of ofKind(objects, 'Deployment')) {
    const workload = deployments.find(({ name }) => name === nameOf(deployment));
    const annotations = deployment.spec?.template.metadata?.annotations ?? {};
    expect(workload && listens(workload.container, Number(annotations['prometheus.io/port']))).toBe(true);
    expect([annotations['prometheus.io/scrape'], annotations['prometheus.io/path']]).toEqual([
      'true',
      '/metrics',
    ]);
  }
});

test('every selector matches the labels of one workload', () => {
  for (const { name, selector, labels } of workloads) {
    expect(selects(selector, labels)).toBe(true);
    expect(workloads.filter((other) => selects(selector, other.labels)).map((other) => other.name)).toEqual([
      name,
    ]);
  }
  const selected = (selector: Record<string, string> | undefined): string[] =>
    workloads.filter(({ labels }) => selects(selector, labels)).map(({ name }) => name);
  for (const { pod, name } of deployments)
    for (const { labelSelector } of pod.topologySpreadConstraints ?? [])
      expect(selected(labelSelector?.matchLabels)).toEqual([name]);
  for (const service of ofKind(objects, 'Service').filter((one) => nameOf(one) !== 'nobody'))
    expect(selected(service.spec?.selector)).toEqual([nameOf(service).replace('-metrics', '')]);
  for (const budget of ofKind(objects, 'PodDisruptionBudget'))
    expect(selected(budget.spec?.selector?.matchLabels)).toEqual([nameOf(budget)]);
});

test('every Service leads to a port where its pods listen, and the Ingress to one of a Service', () => {
  const services = ofKind(objects, 'Service');
  for (const { spec } of services) {
    if (spec?.selector === undefined) continue;
    const pods = workloads.filter(({ labels }) => selects(spec.selector, labels));
    for (const { targetPort } of spec?.ports ?? [])
      expect(pods.every(({ container }) => listens(container, targetPort))).toBe(true);
  }
  for (const { spec } of ofKind(objects, 'Ingress')) {
    const backends = spec?.rules?.flatMap(({ http }) => http?.paths.map(({ backend }) => backend.service));
    expect(backends?.map((backend) => backend?.name)).toEqual(['nobody', 'nobody', 'gateway']);
    for (const backend of backends ?? []) {
      const service = services.find((one) => nameOf(one) === backend?.name);
      expect(service?.spec?.ports?.map(({ name }) => name)).toEqual([backend?.port?.name ?? '']);
    }
  }
  for (const { spec } of ofKind(objects, 'StatefulSet'))
    expect(services.map(nameOf)).toContain(spec?.serviceName ?? '');
});

test('what is for the operator is public under no host of the Ingress, nor under one for hosted pages', async () => {
  const text = await Bun.file(resolve(INFRA, 'k8s/ingress.yaml')).text();
  const commented = /^ {4}# (- host: .*)\n {4}# (.*)$/m;
  expect(text).toMatch(commented);
  for (const [hosts, manifest] of [
    [1, text],
    [2, text.replace(commented, '    $1\n    $2')],
  ] as const) {
    const ingresses = ofKind(Bun.YAML.parse(manifest) as KubernetesObject[], 'Ingress');
    const rules = ingresses.flatMap(({ spec }) => spec?.rules ?? []);
    expect(new Set(rules.map(({ host }) => host)).size).toBe(hosts);
    for (const { http } of rules)
      expect(
        http?.paths.map(({ path, pathType, backend }) => [path, pathType, backend.service?.name]),
      ).toEqual([
        ['/metrics', 'Prefix', 'nobody'],
        ['/readyz', 'Prefix', 'nobody'],
        ['/', 'Prefix', 'gateway'],
      ]);
  }
});

test('the guide names Services of the namespace, and to Prometheus such as lead to each process', async () => {
  const guide = await Bun.file(resolve(INFRA, '../docs/kubernetes.md')).text();
  const named = Array.from(guide.matchAll(/`(?:\w+=)?([\w-]+)\.perch\.svc(?::(\d+))?`/g));
  const services = ofKind(objects, 'Service');
  for (const [, name, port] of named) {
    const { clusterIP, ports = [] } = services.find((service) => nameOf(service) === name)?.spec ?? {};
    expect([name, clusterIP]).toEqual([name, 'None']);
    expect(ports.map((one) => String(one.port))).toEqual([port ?? '8080']);
  }
  expect(named.map(([, name]) => name)).toEqual([
    ...['gateway-metrics', 'content', 'kv', 'site', 'analytics'],
    'postgres',
  ]);
});

test('the label that a restore starts with is that of the servers and all that is theirs, and of nothing else', () => {
  const started = objects.filter(({ metadata }) =>
    selects({ 'app.kubernetes.io/part-of': 'perch' }, metadata?.labels ?? {}),
  );
  const servers = workloads.filter(({ kind }) => kind === 'StatefulSet').map(({ name }) => name);
  for (const kind of ['StatefulSet', 'Service'] as const)
    expect(ofKind(started, kind).map(nameOf).toSorted()).toEqual(servers.toSorted());
  const jobs = workloads.filter(({ kind }) => kind === 'Job').map(({ name }) => name);
  expect(ofKind(started, 'Job').map(nameOf).toSorted()).toEqual(jobs.toSorted());
  const maps = [...servers, ...jobs].flatMap(
    (name) => workloads.find((workload) => workload.name === name)?.pod.volumes ?? [],
  );
  expect(ofKind(started, 'ConfigMap').map(nameOf).toSorted()).toEqual(
    maps.flatMap(({ configMap }) => configMap?.name ?? []).toSorted(),
  );
  const kinds = new Set(started.map(({ kind }) => kind));
  expect([...kinds].toSorted()).toEqual(['ConfigMap', 'Job', 'Service', 'StatefulSet']);
});

test('every ConfigMap, key of the Secret and volume that is named is there', () => {
  for (const { container, pod, name } of workloads) {
    for (const { secret: mounted } of pod.volumes ?? []) {
      if (mounted === undefined) continue;
      expect(mounted.secretName).toBe('perch-secrets');
      for (const { key } of mounted.items ?? []) expect(Object.keys(secret)).toContain(key);
    }
    const maps = [
      ...(container.envFrom ?? []).map(({ configMapRef }) => configMapRef?.name),
      ...(pod.volumes ?? []).flatMap(({ configMap }) => configMap?.name ?? []),
    ];
    for (const map of maps) expect(Object.keys(dataOf(objects, map ?? ''))).not.toHaveLength(0);
    for (const { valueFrom } of container.env ?? []) {
      if (valueFrom === undefined || valueFrom.fieldRef?.fieldPath === 'metadata.name') continue;
      const { configMapKeyRef, secretKeyRef } = valueFrom;
      if (configMapKeyRef !== undefined) {
        expect(dataOf(objects, configMapKeyRef.name ?? '')).toHaveProperty(configMapKeyRef.key);
        continue;
      }
      expect(secretKeyRef?.name).toBe('perch-secrets');
      expect(Object.keys(secret)).toContain(secretKeyRef?.key ?? '');
    }
    const set = ofKind(objects, 'StatefulSet').find((object) => nameOf(object) === name);
    const claims = set?.spec?.volumeClaimTemplates?.map(({ metadata }) => metadata?.name ?? '') ?? [];
    const volumes = [...claims, ...(pod.volumes ?? []).map((volume) => volume.name)];
    const mounts = pod.containers.flatMap(({ volumeMounts = [] }) => volumeMounts.map((mount) => mount.name));
    expect([...new Set(mounts)].toSorted()).toEqual(volumes.toSorted());
  }
});

test('every job ends by itself, also one that cannot start, and is removed, so that the next apply runs it again', () => {
  for (const job of ofKind(objects, 'Job')) {
    const { activeDeadlineSeconds, backoffLimit, ttlSecondsAfterFinished } = job.spec ?? {};
    const limits = { activeDeadlineSeconds, backoffLimit, ttlSecondsAfterFinished };
    expect([nameOf(job), limits]).toEqual([
      nameOf(job),
      { activeDeadlineSeconds: 900, backoffLimit: 20, ttlSecondsAfterFinished: 600 },
    ]);
  }
});

test('every Deployment and the cluster of NATS have a budget for disruptions, and those with load of their own an autoscaler', () => {
  expect(ofKind(objects, 'PodDisruptionBudget').map(nameOf).toSorted()).toEqual(
    ['nats', ...deployments.map(({ name }) => name)].toSorted(),
  );
  const scalers = ofKind(objects, 'HorizontalPodAutoscaler');
  expect(scalers.map(nameOf).toSorted()).toEqual(AUTOSCALED);
  for (const { spec, metadata } of scalers) {
    expect(spec?.scaleTargetRef).toEqual({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      name: metadata?.name ?? '',
    });
    expect(spec?.minReplicas).toBeGreaterThanOrEqual(2);
  }
  for (const deployment of ofKind(objects, 'Deployment')) {
    const { replicas, strategy } = deployment.spec ?? {};
    // A number here would be set anew at each apply, over the autoscaler's.
    expect([nameOf(deployment), replicas]).toEqual([
      nameOf(deployment),
      AUTOSCALED.includes(nameOf(deployment)) ? undefined : 2,
    ]);
    expect(strategy?.rollingUpdate?.maxUnavailable).toBe(0);
  }
});

test('the guide says for every value of the Secret what to run when it is another one', async () => {
  const guide = await Bun.file(resolve(INFRA, '../docs/kubernetes.md')).text();
  const named = Array.from(guide.matchAll(/^\| (`[A-Z].*?) \| /gm)).flatMap(([, cell = '']) =>
    Array.from(cell.matchAll(/`([^`]+)`/g), ([, name]) => name ?? ''),
  );
  const ofNats = (name: string): string => name.replace(/^NATS_(URL_)?[A-Z]+(?=$|_)/, 'NATS_$1…');
  const values = new Set(Object.keys(secret).map(ofNats));
  expect(named.toSorted()).toEqual([...values].toSorted());
});

test('every server, service and job that the guide restarts, enters or waits for is there', async () => {
  const guide = await Bun.file(resolve(INFRA, '../docs/kubernetes.md')).text();
  const all = workloadsOf([...objects, ...(await ownHaObjects())]);
  const there = all.map(({ kind, name }) => `${kind.toLowerCase()}/${name}`);
  const named = Array.from(guide.matchAll(/\b(?:statefulset|deployment|job)\/[a-z-]+/g), ([name]) => name);
  expect(named).not.toBeEmpty();
  for (const name of named) expect(there).toContain(name);
});

test('the selector of an upgrade leaves the objects of the gateway for later, and nothing else', async () => {
  const guide = await Bun.file(resolve(INFRA, '../docs/kubernetes.md')).text();
  const [, label = '', value = ''] = /-l '([\w./]+)!=(\w+)'/.exec(guide) ?? [];
  const later = objects.filter(({ metadata }) => metadata?.labels?.[label] === value);
  expect(ofKind(later, 'Deployment').map(nameOf)).toEqual(['gateway']);
  const kinds = new Set<string>(later.map(({ kind }) => kind));
  expect([...kinds].toSorted()).toEqual([
    ...['Deployment', 'HorizontalPodAutoscaler', 'PodDisruptionBudget', 'Service'],
  ]);
});

test('each Deployment runs the file of its service', async () => {
  for (const { name, container } of deployments) {
    const { args = [], command } = container;
    expect([command, args]).toEqual([undefined, [`services/${name}/main.ts`]]);
    expect(await Bun.file(resolve(INFRA, '..', `services/${name}/main.ts`)).exists()).toBe(true);
  }
});

/** The keys of each ConfigMap, with the repository's file that each holds. */
const FILES: Record<string, Record<string, string>> = {
  'redis-conf': { 'redis.conf': 'redis.conf' },
  'nats-conf': { 'nats.conf': 'nats.conf', 'nats-users.conf': 'nats-users.conf' },
  'clamav-conf': { 'clamd.conf': 'clamav/clamd.conf', 'freshclam.conf': 'clamav/freshclam.conf' },
  'service-role': { 'database-role.sh': 'compose/database-role.sh', 'role.sql': 'service-role.sql' },
};

test('ConfigMaps have the files of the repository', async () => {
  for (const [map, files] of Object.entries(FILES)) {
    const texts = Object.entries(files).map(async ([name, file]) => [
      name,
      await Bun.file(resolve(INFRA, file)).text(),
    ]);
    expect(dataOf(objects, map)).toEqual(Object.fromEntries(await Promise.all(texts)));
  }
});

test('Redis and NATS run with these files', () => {
  for (const [name, file] of [
    ['redis', 'redis.conf'],
    ['nats', 'nats-users.conf'],
  ] as const) {
    const server = workloads.find((workload: Workload) => workload.name === name);
    expect(server?.container.args).toContain(`/etc/${name}/${file}`);
    expect(server?.container.volumeMounts?.find((mount) => mount.name === 'conf')?.mountPath).toBe(
      `/etc/${name}`,
    );
  }
});

test('the scanner is where the settings say that clamd.yaml puts it, and does what its containers of Compose do', async () => {
  const settings = await Bun.file(resolve(INFRA, 'k8s/settings.yaml')).text();
  const named = /# tcp:\/\/([\w-]+):(\d+) with clamd\.yaml/.exec(settings);
  const service = ofKind(objects, 'Service').find((one) => nameOf(one) === named?.[1]);
  expect(service?.spec?.ports?.map(({ port }) => String(port))).toEqual([named?.[2] ?? '']);
  const compose = readComposeFile();
  const scanner = workloads.find(({ name }) => name === 'clamd');
  const commands = scanner?.pod.containers.map(({ name, command }) => [name, command]);
  expect(commands).toEqual(['clamd', 'freshclam'].map((name) => [name, serviceOf(compose, name).entrypoint]));
});
