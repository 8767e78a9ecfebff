import { join } from 'node:path';
import { $ } from 'bun';
import {
  type KubernetesObject,
  MANIFESTS,
  nameOf,
  type OfKind,
  ofKind,
  type Workload,
} from './kubernetes-objects.ts';

/** The Secret as an operator makes it, for the servers of infra/k8s, or with `ha` for those of infra/k8s-ha. */
export async function madeSecret(...servers: Array<'ha'>): Promise<Record<string, string>> {
  const text = await $`sh ${join(MANIFESTS, 'make-secret.sh')} ${servers}`.text();
  const lines = text.trim().split('\n');
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

export function dataOf(objects: KubernetesObject[], name: string): Record<string, string> {
  const found = ofKind(objects, 'ConfigMap').find((object: OfKind<'ConfigMap'>) => nameOf(object) === name);
  if (found?.data === undefined) throw new Error(`there is no ConfigMap ${name}`);
  return found.data;
}

/**
 * The environment of a container.
 * @throws when it refers to a missing object
 */
export function environmentOf(
  { container }: Workload,
  objects: KubernetesObject[],
  secret: Record<string, string>,
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const { configMapRef } of container.envFrom ?? [])
    Object.assign(environment, dataOf(objects, configMapRef?.name ?? ''));
  for (const { name, value, valueFrom } of container.env ?? []) {
    const { secretKeyRef, configMapKeyRef } = valueFrom ?? {};
    const key = secretKeyRef ?? configMapKeyRef;
    const values = configMapKeyRef === undefined ? secret : dataOf(objects, configMapKeyRef.name ?? '');
    const given = key === undefined ? value : values[key.key];
    if (given !== undefined) environment[name] = given;
    else if (key?.optional !== true) throw new Error(`${name} has no value: ${key?.key}`);
  }
  return environment;
}

const FACTORS: Record<string, number> = {
  '': 1,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** A Kubernetes quantity (`500m`, `5Gi`, `2`) as a number. @throws for what is none */
export function quantity(text: string | number | undefined): number {
  const [, digits, suffix = ''] = /^(\d+(?:\.\d+)?)([a-zA-Z]*)$/.exec(String(text)) ?? [];
  const factor = FACTORS[suffix];
  if (digits === undefined || factor === undefined) throw new Error(`${text} is no quantity`);
  return Number(digits) * factor;
}
