import { dirname, join } from 'node:path';
import { allObjects, type KubernetesObject, MANIFESTS, nameOf, objectsIn } from './kubernetes-objects.ts';

export const HA_MANIFESTS = join(dirname(MANIFESTS), 'k8s-ha');

interface Kustomization {
  resources: string[];
  patches: Patch[];
}

/** A Deletion, or with a target steps that change an object of `infra/k8s`. */
interface Patch {
  patch: string;
  target?: { kind: string; name: string };
}

/** A step of a JSON patch. */
interface Step {
  op: 'add' | 'replace';
  path: string;
  value: unknown;
}

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
  const untargeted = (await readKustomization()).patches.filter(({ target }) => target === undefined);
  const patches = untargeted.map(({ patch }) => Bun.YAML.parse(patch) as Deletion);
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
  const changes = new Map((await changedObjects()).map((object) => [identified(object), object]));
  const base = (await allObjects()).map((object) => changes.get(identified(object)) ?? object);
  const identities = new Set(base.map(identified));
  for (const identity of deleted) if (!identities.has(identity)) throw new Error(`there is no ${identity}`);
  const own = await ownHaObjects();
  for (const object of own)
    if (identities.has(identified(object))) throw new Error(`${identified(object)} is there twice`);
  return [...base.filter((object) => !deleted.has(identified(object))), ...own];
}

/** Objects of `infra/k8s` of which it changes single values, with these. @throws for one that is not there */
export async function changedObjects(): Promise<KubernetesObject[]> {
  const base = await allObjects();
  return (await readKustomization()).patches.flatMap(({ target, patch }) => {
    if (target === undefined) return [];
    const object = base.find(({ kind, metadata }) => kind === target.kind && metadata?.name === target.name);
    if (object === undefined) throw new Error(`there is no ${target.kind} ${target.name}`);
    return [changed(object, Bun.YAML.parse(patch) as Step[])];
  });
}

function changed(object: KubernetesObject, steps: Step[]): KubernetesObject {
  const copy = structuredClone(object);
  for (const { op, path, value } of steps) {
    const names = path.split('/').slice(1);
    const last = names.pop() ?? '';
    const place = names.reduce<Record<string, unknown>>(
      (inside, name) => inside[name] as Record<string, unknown>,
      copy as unknown as Record<string, unknown>,
    );
    if (op === 'replace' && !(last in place)) throw new Error(`${path} is not there`);
    place[last] = value;
  }
  return copy;
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
