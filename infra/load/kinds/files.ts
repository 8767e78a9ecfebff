import { createItemKind, readsOfWhole } from './item-kind.ts';
import { type LoadKind, shortCall } from './kind.ts';
import { sizeOf, textOf } from './text.ts';

const PATH = '/api/files';

const contentOf = (name: string, version: number): string =>
  textOf(name, version, sizeOf(version, 2_000, 60_000, 200_000));

function formOf(name: string, version: number): FormData {
  const form = new FormData();
  form.append('file', new File([contentOf(name, version)], 'notes.txt', { type: 'text/plain' }));
  return form;
}

/** Files: the same address gets another content only after a removal. */
export const files: LoadKind = {
  ...createItemKind({
    ...{ name: 'file', path: PATH },
    bodyOf: formOf,
    reads: readsOfWhole(PATH, contentOf),
    looks: (target) => [shortCall(target, '?dl=true')],
  }),
  change: null,
};
