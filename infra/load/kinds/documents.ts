import { createItemKind, readsOfWhole } from './item-kind.ts';
import { sizeOf, textOf } from './text.ts';

const PATH = '/api/json';

const contentOf = (name: string, version: number): string =>
  JSON.stringify({ text: textOf(name, version, sizeOf(version, 300, 5_000, 20_000)) });

/** JSON documents. */
export const documents = createItemKind({
  ...{ name: 'document', path: PATH, type: 'application/json' },
  bodyOf: contentOf,
  reads: readsOfWhole(PATH, contentOf),
  looks: () => [],
});
