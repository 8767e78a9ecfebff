import type { Call } from '../send.ts';
import {
  itemCall,
  type LoadKind,
  nameOf,
  ownedBy,
  type Read,
  shortCall,
  type Target,
  wholeBody,
} from './kind.ts';

interface ItemKindOptions extends Pick<LoadKind, 'name' | 'reads' | 'looks'> {
  /** Where items of this kind are created; each has its own address below. */
  path: string;
  /** Type of the body, unless the body says it itself, as a form does. */
  type?: string;
  /** The body that makes this version. `name`: the target's. */
  bodyOf(name: string, version: number): Call['body'];
}

/** A kind whose items are created and replaced with the same body, as most are. */
export function createItemKind(options: ItemKindOptions): LoadKind {
  const { name, path, type, bodyOf, reads, looks } = options;
  const typed = type === undefined ? {} : { 'Content-Type': type };
  return {
    ...{ name, created: 201, isItem: true, reads, looks },
    create: (target, version, key) => ({
      ...{ method: 'POST', template: path, path: `${path}?ns=${target.namespace}&id=${target.id}` },
      headers: { ...ownedBy(target), 'Idempotency-Key': key, ...typed },
      body: bodyOf(nameOf(target), version),
    }),
    change: (target, version) => ({
      ...itemCall('PUT', path, target),
      headers: { ...ownedBy(target), ...typed },
      body: bodyOf(nameOf(target), version),
    }),
    remove: (target) => ({ ...itemCall('DELETE', path, target), headers: ownedBy(target) }),
  };
}

/** The reads of what is served as it was sent, under its short URL and in the API. */
export function readsOfWhole(
  path: string,
  contentOf: (name: string, version: number) => string,
): (target: Target) => Read[] {
  return (target) => {
    const expected = (version: number): string => contentOf(nameOf(target), version);
    return [
      wholeBody(shortCall(target), true, expected),
      wholeBody(itemCall('GET', path, target), false, expected),
    ];
  };
}
