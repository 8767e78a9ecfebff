import { expect, test } from 'bun:test';
import { allObjects, workloadsOf } from './kubernetes-objects.ts';
import { letsThrough, type Party } from './kubernetes-traffic.ts';

const objects = await allObjects();
const pods = new Map(workloadsOf(objects).map(({ name, labels }) => [name, { pod: labels }]));
/** Which job reaches which server. */
const JOBS = { 'service-role': 'postgres', bucket: 'minio' };

const PORTS: Record<string, number> = {
  gateway: 8080,
  content: 8080,
  kv: 8080,
  site: 8080,
  analytics: 8080,
  postgres: 5432,
  redis: 6379,
  nats: 4222,
  minio: 9000,
  clamd: 3310,
};
const SERVERS = ['minio', 'nats', 'redis'];
const SERVICES = ['analytics', 'content', 'kv', 'site'];

/** Names of the pods that a party can reach on the port where they listen. */
const reachedBy = (from: Party): string[] =>
  [...pods].filter(([name, to]) => letsThrough(objects, from, to, PORTS[name] ?? 0)).map(([name]) => name);

const pod = (name: string): Party => pods.get(name) ?? null;

test('from outside only the gateway is reached', () => {
  expect(reachedBy(null)).toEqual(['gateway']);
  expect(reachedBy({ namespace: { 'kubernetes.io/metadata.name': 'default' } })).toEqual(['gateway']);
});

test('only services reach the servers, gateways not the database, and only content and site the scanner', () => {
  expect(reachedBy(pod('gateway')).toSorted()).toEqual([...SERVERS].toSorted());
  for (const name of SERVICES) {
    const scanner = ['content', 'site'].includes(name) ? ['clamd'] : [];
    expect(reachedBy(pod(name)).toSorted()).toEqual([...SERVERS, 'postgres', ...scanner].toSorted());
  }
  for (const name of [...SERVERS, 'postgres', 'clamd']) expect(reachedBy(pod(name))).toEqual([]);
});

test('a job reaches the server that it prepares, and nobody reaches a job', () => {
  for (const [job, server] of Object.entries(JOBS)) expect(reachedBy(pod(job))).toEqual([server]);
  for (const from of [...pods.values(), null])
    for (const job of Object.keys(JOBS)) expect(letsThrough(objects, from, pod(job), 8080)).toBe(false);
});

test('Prometheus reaches the processes of Perch, and no server', () => {
  const monitoring = { namespace: { 'kubernetes.io/metadata.name': 'monitoring' } };
  expect(reachedBy(monitoring).toSorted()).toEqual(['analytics', 'content', 'gateway', 'kv', 'site']);
});

test('names are resolved, signatures are fetched, and nothing else leaves', () => {
  for (const [name, from] of pods)
    expect([53, 80, 443, 25].map((port) => letsThrough(objects, from, null, port))).toEqual([
      ...[true, false, name === 'clamd', false],
    ]);
  const monitoring = { namespace: { 'kubernetes.io/metadata.name': 'monitoring' } };
  for (const other of [...pods.values(), monitoring])
    expect(letsThrough(objects, pod('clamd'), other, 443)).toBe(false);
});

test('only the members of the NATS cluster speak on its port for them', () => {
  for (const [name, from] of pods)
    expect(letsThrough(objects, from, pod('nats'), 6222)).toBe(name === 'nats');
  expect(letsThrough(objects, null, pod('nats'), 6222)).toBe(false);
});

test('the port that NATS is watched by is for the node alone', () => {
  for (const from of [...pods.values(), null])
    expect(letsThrough(objects, from, pod('nats'), 8222)).toBe(false);
});
