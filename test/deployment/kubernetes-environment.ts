import { resolve } from 'node:path';
import { type KubernetesObject, nameOf, type OfKind, ofKind, type Workload } from './kubernetes-objects.ts';

const OPERATIONS = resolve(import.meta.dirname, '../../docs/operations.md');

/** Stands for what `openssl rand` gives. */
const RANDOM = '0123456789abcdef'.repeat(4);

/** The Secret that the command in docs/operations.md makes, with one known value for each random one. */
export async function documentedSecret(): Promise<Record<string, string>> {
  const text = await Bun.file(OPERATIONS).text();
  const command = /create secret generic perch-secrets .*<<EOF\n([\s\S]*?)\n\s*EOF\n/.exec(text)?.[1];
  if (command === undefined) throw new Error('docs/operations.md has no command that makes the Secret');
  const lines = command.split('\n').map((line) => line.trim());
  return Object.fromEntries(
    lines.map((line) => {
      const end = line.indexOf('=');
      return [line.slice(0, end), line.slice(end + 1).replaceAll(/\$\([^)]*\)|\$\w+/g, RANDOM)];
    }),
  );
}

export function dataOf(objects: KubernetesObject[], name: string): Record<string, string> {
  const found = ofKind(objects, 'ConfigMap').find((object: OfKind<'ConfigMap'>) => nameOf(object) === name);
  if (found?.data === undefined) throw new Error(`there is no ConfigMap ${name}`);
  return found.data;
}

/** What a container finds in its environment. @throws when it refers to what is not there */
export function environmentOf(
  { container }: Workload,
  objects: KubernetesObject[],
  secret: Record<string, string>,
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const { configMapRef } of container.envFrom ?? [])
    Object.assign(environment, dataOf(objects, configMapRef?.name ?? ''));
  for (const { name, value, valueFrom } of container.env ?? []) {
    const key = valueFrom?.secretKeyRef;
    const given = key === undefined ? value : secret[key.key];
    if (given !== undefined) environment[name] = given;
    else if (key?.optional !== true) throw new Error(`${name} has no value`);
  }
  return environment;
}
