import { expect, test } from 'bun:test';
import { join } from 'node:path';
import {
  appliedFiles,
  appliedObjects,
  type KubernetesObject,
  MANIFESTS,
  manifestFiles,
  nameOf,
  OPTIONAL_FILES,
  objectsIn,
  ofKind,
} from './kubernetes-objects.ts';
import { checkFields, checkValues } from './kubernetes-schema.ts';

const objects = await appliedObjects();
const example = await objectsIn('secret.example.yaml');
const optional = (await Promise.all(OPTIONAL_FILES.map(objectsIn))).flat();
const all = [...objects, ...optional, ...example];

/** One of our Deployments with something changed in its text. */
function changed(from: string | RegExp, to: string): KubernetesObject {
  const text = JSON.stringify(ofKind(objects, 'Deployment').find((object) => nameOf(object) === 'gateway'));
  const other = text.replace(from, to);
  expect(other).not.toBe(text);
  return JSON.parse(other) as KubernetesObject;
}

test('every manifest is applied, but for the example of the Secret and what is optional, which the kustomization names in comments', async () => {
  const left = ['secret.example.yaml', ...OPTIONAL_FILES];
  const files = (await manifestFiles()).filter((file) => !left.includes(file));
  expect((await appliedFiles()).toSorted()).toEqual(files.toSorted());
  const kustomization = await Bun.file(join(MANIFESTS, 'kustomization.yaml')).text();
  for (const file of OPTIONAL_FILES) expect(kustomization).toContain(`\n  # - ${file}\n`);
});

test('every object has values that the published schema of its kind takes', () => {
  for (const object of all) {
    try {
      checkValues(object);
    } catch (error) {
      throw new Error(`${object.kind} ${nameOf(object)}`, { cause: error });
    }
  }
});

test('no object has a field that the published API does not know', async () => {
  expect(await checkFields(all)).toEqual([]);
});

test('a misspelt field is refused, wherever it is', async () => {
  const misspelt = [
    changed('"progressDeadlineSeconds"', '"progressDeadlineSecond"'),
    changed('"enableServiceLinks"', '"enableServicelinks"'),
    changed('"readOnlyRootFilesystem"', '"readOnlyRootFileSystem"'),
    changed('"readinessProbe"', '"readynessProbe"'),
    changed('"failureThreshold":60', '"failureTreshold":60'),
    changed('"sizeLimit"', '"limit"'),
  ];
  const faults = await checkFields(misspelt);
  const names = ['progressDeadlineSecond', 'enableServicelinks', 'readOnlyRootFileSystem', 'readynessProbe'];
  for (const name of [...names, 'failureTreshold', 'limit'])
    expect(faults.filter((fault) => fault.includes(`'"${name}"'`))).toHaveLength(1);
});

test('a wrong type, a wrong choice and a missing field are refused', async () => {
  const wrong = [
    changed('"containerPort":8080', '"containerPort":"8080"'),
    changed('"maxSurge":1', '"maxSurge":true'),
    changed(/"selector":\{.*?\}\},/, ''),
  ];
  for (const object of wrong) expect(() => checkValues(object)).toThrow();
  const earlier = changed('"apps/v1"', '"apps/v1beta1"');
  expect(await checkFields([earlier])).toEqual([expect.stringContaining('apps/v1beta1')]);
});

test('each object is named once for its kind', () => {
  const names = all.map((object) => `${object.kind} ${nameOf(object)}`);
  expect(names).toEqual([...new Set(names)]);
});
