import { dirname, join } from 'node:path';
import { allObjects, type KubernetesObject, MANIFESTS, nameOf, objectsIn } from './kubernetes-objects.ts';

export const HA_MANIFESTS = join(dirname(MANIFESTS), 'k8s-ha');

interface Kustomization {
  resources: string[];
  patches: Array<{ patch: string }>;
}

/** The one patch that the kustomization uses. */
interface Deletion {
  $patch: 'delete';
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace: string };
}

const identityOf = ({ apiVersion, kind, metadata }: Pick<Deletion, 'apiVersion' | 'kind' | 'metadata'>) =>
  `${apiVersion} ${kind} ${metadata.name}`;

/** The objects of infra/k8s-ha itself, as they lie there. */
export async function ownHaObjects(): Promise<KubernetesObject[]> {
  const [base, ...files] = (await readKustomization()).resources;
  if (base !== '../k8s') throw new Error(`${base} is not what it builds on`);
  return (await Promise.all(files.map((file) => objectsIn(join(HA_MANIFESTS, file))))).flat();
}

/** Objects of `infra/k8s` that it takes away. */
export async function deletedObjects(): Promise<Deletion[]> {
  const patches = (await readKustomization()).patches.map(({ patch }) => Bun.YAML.parse(patch) as Deletion);
  for (const { $patch } of patches)
    if ($patch !== 'delete') throw new Error(`${$patch} is not looked at here`);
  return patches;
}

/**
 * All that `kubectl apply -k infra/k8s-ha` applies, and what is optional.
 * @throws when it takes away what is not there, or has what is there already
 */
export async function haObjects(): Promise<KubernetesObject[]> {
  const deleted = new Set((await deletedObjects()).map(identityOf));
  const base = await allObjects();
  const identities = new Set(base.map(identified));
  for (const identity of deleted) if (!identities.has(identity)) throw new Error(`there is no ${identity}`);
  const own = await ownHaObjects();
  for (const object of own)
    if (identities.has(identified(object))) throw new Error(`${identified(object)} is there twice`);
  return [...base.filter((object) => !deleted.has(identified(object))), ...own];
}

const identified = (object: KubernetesObject): string =>
  identityOf({
    apiVersion: String(object.apiVersion),
    kind: object.kind,
    metadata: { name: nameOf(object), namespace: 'perch' },
  });

async function readKustomization(): Promise<Kustomization> {
  return Bun.YAML.parse(await Bun.file(join(HA_MANIFESTS, 'kustomization.yaml')).text()) as Kustomization;
}
