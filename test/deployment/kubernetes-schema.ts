import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Deployment, StatefulSet } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { Job } from 'kubernetes-models/batch/v1';
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Namespace, Secret, Service } from 'kubernetes-models/v1';
import { type Kind, type KubernetesObject, nameOf, type OfKind } from './kubernetes-objects.ts';

interface Model<K extends Kind> {
  module: string;
  /** @throws the first value that the schema of this kind refuses. */
  check(object: OfKind<K>): void;
}

const MODELS: { [K in Kind]: Model<K> } = {
  ConfigMap: { module: 'v1', check: (object) => new ConfigMap(object).validate() },
  Deployment: { module: 'apps/v1', check: (object) => new Deployment(object).validate() },
  HorizontalPodAutoscaler: {
    module: 'autoscaling/v2',
    check: (object) => new HorizontalPodAutoscaler(object).validate(),
  },
  Ingress: { module: 'networking.k8s.io/v1', check: (object) => new Ingress(object).validate() },
  Job: { module: 'batch/v1', check: (object) => new Job(object).validate() },
  Namespace: { module: 'v1', check: (object) => new Namespace(object).validate() },
  NetworkPolicy: { module: 'networking.k8s.io/v1', check: (object) => new NetworkPolicy(object).validate() },
  PodDisruptionBudget: { module: 'policy/v1', check: (object) => new PodDisruptionBudget(object).validate() },
  Secret: { module: 'v1', check: (object) => new Secret(object).validate() },
  Service: { module: 'v1', check: (object) => new Service(object).validate() },
  StatefulSet: { module: 'apps/v1', check: (object) => new StatefulSet(object).validate() },
};

const TSC = resolve(import.meta.dirname, '../../node_modules/.bin/tsc');

const COMPILER_OPTIONS = {
  ...{ noEmit: true, strict: true, skipLibCheck: true, types: [], lib: ['ESNext'] },
  ...{ target: 'ESNext', module: 'Preserve', moduleResolution: 'bundler' },
};

/** Holds a value against the JSON schema of its kind: required fields, types, formats. @throws what is wrong first */
export function checkValues<K extends Kind>(object: OfKind<K>): void {
  const model: Model<K> | undefined = MODELS[object.kind as K];
  if (model === undefined) throw new Error(`nothing here is of the kind ${String(object.kind)}`);
  model.check(object);
}

/**
 * Finds fields that the published API does not have, and values of a wrong type: one line each, led by kind and name.
 * The schemas accept unknown fields, as the API does for newer clients; so the objects are compiled as literals of the
 * types that were made from the same API, for which the compiler accepts no other field.
 */
export async function checkFields(objects: KubernetesObject[]): Promise<string[]> {
  const dir = await mkdtemp(join(tmpdir(), 'perch-kubernetes-'));
  try {
    const models = dirname(dirname(fileURLToPath(import.meta.resolve('kubernetes-models'))));
    await symlink(models, join(dir, 'node_modules'));
    await Bun.write(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER_OPTIONS }));
    for (const [index, object] of objects.entries()) {
      await Bun.write(join(dir, `${index}-${object.kind}-${nameOf(object)}.ts`), literalOf(object));
    }
    const compiler = Bun.spawn([TSC, '-p', dir, '--pretty', 'false'], { cwd: dir, stdout: 'pipe' });
    const [output, code] = await Promise.all([compiler.stdout.text(), compiler.exited]);
    const lines = output.split('\n').filter((line) => line !== '');
    if (code !== 0 && lines.length === 0) throw new Error(`the compiler ended with ${code}`);
    return lines;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

function literalOf(object: KubernetesObject): string {
  const { kind } = object;
  const type = `import('kubernetes-models/${MODELS[kind].module}').I${kind}`;
  return `export const object: ${type} = ${JSON.stringify(object, null, 1)};`;
}
