import { Cluster } from '@kubernetes-models/cloudnative-pg/postgresql.cnpg.io/v1/Cluster';
import { Deployment, StatefulSet } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { Job } from 'kubernetes-models/batch/v1';
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Namespace, Secret, Service } from 'kubernetes-models/v1';
import { compilerFaults } from './compile.ts';
import { type Kind, type KubernetesObject, nameOf, type OfKind } from './kubernetes-objects.ts';

interface Model<K extends Kind> {
  /** Where its type is. */
  module: string;
  /** @throws the first value that the schema of this kind refuses. */
  check(object: OfKind<K>): void;
}

const MODELS: { [K in Kind]: Model<K> } = {
  Cluster: {
    module: '@kubernetes-models/cloudnative-pg/postgresql.cnpg.io/v1',
    check: (object) => new Cluster(object).validate(),
  },
  ConfigMap: { module: 'kubernetes-models/v1', check: (object) => new ConfigMap(object).validate() },
  Deployment: { module: 'kubernetes-models/apps/v1', check: (object) => new Deployment(object).validate() },
  HorizontalPodAutoscaler: {
    module: 'kubernetes-models/autoscaling/v2',
    check: (object) => new HorizontalPodAutoscaler(object).validate(),
  },
  Ingress: {
    module: 'kubernetes-models/networking.k8s.io/v1',
    check: (object) => new Ingress(object).validate(),
  },
  Job: { module: 'kubernetes-models/batch/v1', check: (object) => new Job(object).validate() },
  Namespace: { module: 'kubernetes-models/v1', check: (object) => new Namespace(object).validate() },
  NetworkPolicy: {
    module: 'kubernetes-models/networking.k8s.io/v1',
    check: (object) => new NetworkPolicy(object).validate(),
  },
  PodDisruptionBudget: {
    module: 'kubernetes-models/policy/v1',
    check: (object) => new PodDisruptionBudget(object).validate(),
  },
  Secret: { module: 'kubernetes-models/v1', check: (object) => new Secret(object).validate() },
  Service: { module: 'kubernetes-models/v1', check: (object) => new Service(object).validate() },
  StatefulSet: { module: 'kubernetes-models/apps/v1', check: (object) => new StatefulSet(object).validate() },
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
export const checkFields = (objects: KubernetesObject[]): Promise<string[]> =>
  compilerFaults(
    Object.fromEntries(
      objects.map((object, index) => [`${index}-${object.kind}-${nameOf(object)}`, literalOf(object)]),
    ),
  );

function literalOf(object: KubernetesObject): string {
  const { kind } = object;
  const type = `import('${MODELS[kind].module}').I${kind}`;
  return `export const object: ${type} = ${JSON.stringify(object, null, 1)};`;
}
