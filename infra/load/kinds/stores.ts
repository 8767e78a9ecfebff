import { createItemKind } from './items.ts';
import {
  itemCall,
  type LoadKind,
  nameOf,
  ownedBy,
  type Read,
  shortCall,
  sizeOf,
  type Target,
  textOf,
  versionIn,
  wholeBody,
} from './kind.ts';

const PATH = '/api/kv';

/** Every third value is too large for the cache. */
const contentOf = (name: string, version: number): string =>
  textOf(name, version, sizeOf(version, 100, 2_000, 66_000));

const keyCall = (method: string, target: Target, key: string) => ({
  ...itemCall(method, PATH, target),
  template: `${PATH}/{ns}/{id}/{key}`,
  path: `${PATH}/${target.namespace}/${target.id}/${key}`,
});

const putKey = (target: Target, key: string, version: number) => ({
  ...keyCall('PUT', target, key),
  headers: { ...ownedBy(target), 'Content-Type': 'application/json' },
  body: JSON.stringify({ value: contentOf(nameOf(target), version) }),
});

const readsOfKey = (target: Target, key: string): Read[] => {
  const expected = (version: number): string => contentOf(nameOf(target), version);
  return [
    wholeBody(shortCall(target, `/${key}`), true, expected),
    {
      call: keyCall('GET', target, key),
      take: (text) => (JSON.parse(text) as { value: string }).value,
      versionIn,
      expected,
      isShort: false,
    },
  ];
};

const FIRST_KEY = 'first';

/** Stores with one key. */
export const stores: LoadKind = {
  ...createItemKind({
    name: 'store',
    path: PATH,
    type: 'application/json',
    bodyOf: (name, version) => JSON.stringify({ key: FIRST_KEY, value: contentOf(name, version) }),
    reads: (target) => readsOfKey(target, FIRST_KEY),
    looks: (target) => [itemCall('GET', PATH, target)],
  }),
  change: (target, version) => putKey(target, FIRST_KEY, version),
};

/** Keys of a store that is there and stays. */
export const keys: LoadKind = {
  name: 'key',
  created: 200,
  isItem: false,
  create: (target, version) => putKey(target, target.key, version),
  change: (target, version) => putKey(target, target.key, version),
  remove: (target) => ({ ...keyCall('DELETE', target, target.key), headers: ownedBy(target) }),
  reads: (target) => readsOfKey(target, target.key),
  looks: (target) => [itemCall('GET', PATH, target), shortCall(target)],
};
