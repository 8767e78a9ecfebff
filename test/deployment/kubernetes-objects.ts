import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ICluster } from '@kubernetes-models/cloudnative-pg/postgresql.cnpg.io/v1/Cluster';
import type { IDeployment, IStatefulSet } from 'kubernetes-models/apps/v1';
import type { IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import type { IJob } from 'kubernetes-models/batch/v1';
import type { IIngress, INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1';
import type { IConfigMap, IContainer, INamespace, IPodSpec, ISecret, IService } from 'kubernetes-models/v1';

/** Every kind of object that `infra/k8s` and `infra/k8s-ha` have. */
export type KubernetesObject =
  | ICluster
  | IConfigMap
  | IDeployment
  | IHorizontalPodAutoscaler
  | IIngress
  | IJob
  | INamespace
  | INetworkPolicy
  | IPodDisruptionBudget
  | ISecret
  | IService
  | IStatefulSet;

export type Kind = KubernetesObject['kind'];
export type OfKind<K extends Kind> = Extract<KubernetesObject, { kind: K }>;
export type Labels = Record<string, string>;

/** A Deployment, StatefulSet or Job, seen as what its pods are; `container` is the first one. */
export interface Workload {
  name: string;
  kind: 'Deployment' | 'StatefulSet' | 'Job';
  /** A Job's is made by the cluster: here its labels. */
  selector: Labels;
  labels: Labels;
  pod: IPodSpec;
  container: IContainer;
}

export const MANIFESTS = resolve(import.meta.dirname, '../../infra/k8s');

/** The objects of one file of `infra/k8s`, or of an absolute path, unchecked. */
export async function objectsIn(file: string): Promise<KubernetesObject[]> {
  const documents: unknown = Bun.YAML.parse(await Bun.file(resolve(MANIFESTS, file)).text());
  return (Array.isArray(documents) ? documents : [documents]) as KubernetesObject[];
}

/** The files that `kubectl apply -k` would apply, as the kustomization lists them. */
export async function appliedFiles(): Promise<string[]> {
  const kustomization = Bun.YAML.parse(await Bun.file(join(MANIFESTS, 'kustomization.yaml')).text());
  return (kustomization as { resources: string[] }).resources;
}

/** The manifests that lie there, whether they are applied or not. */
export async function manifestFiles(): Promise<string[]> {
  const files = await readdir(MANIFESTS);
  return files.filter((file) => file.endsWith('.yaml') && file !== 'kustomization.yaml');
}

/** Files that an operator adds to the kustomization. */
export const OPTIONAL_FILES = ['clamd.yaml'];

/** All that is applied, as the kustomization is. */
export async function appliedObjects(): Promise<KubernetesObject[]> {
  return (await Promise.all((await appliedFiles()).map(objectsIn))).flat();
}

/** All that is applied when the kustomization lists the optional files, too. */
export async function allObjects(): Promise<KubernetesObject[]> {
  return [...(await appliedObjects()), ...(await Promise.all(OPTIONAL_FILES.map(objectsIn))).flat()];
}

export const ofKind = <K extends Kind>(objects: KubernetesObject[], kind: K): Array<OfKind<K>> =>
  objects.filter((object): object is OfKind<K> => object.kind === kind);

export const nameOf = ({ metadata }: KubernetesObject): string => metadata?.name ?? '';

/** Objects that run pods, one container each. */
export function workloadsOf(objects: KubernetesObject[]): Workload[] {
  const running = [
    ...ofKind(objects, 'Deployment'),
    ...ofKind(objects, 'StatefulSet'),
    ...ofKind(objects, 'Job'),
  ];
  return running.map((object) => {
    const pod = object.spec?.template.spec;
    const container = pod?.containers[0];
    const labels = object.spec?.template.metadata?.labels ?? {};
    if (pod === undefined || container === undefined) throw new Error(`${nameOf(object)} runs no container`);
    return {
      name: nameOf(object),
      kind: object.kind,
      selector: object.spec?.selector?.matchLabels ?? labels,
      labels,
      pod,
      container,
    };
  });
}

/** Whether the labels have all that a selector asks for; one that asks for nothing selects all. */
export const selects = (selector: Labels | undefined, labels: Labels): boolean =>
  Object.entries(selector ?? {}).every(([name, value]) => labels[name] === value);
