import type { Call } from '../send.ts';
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
    name,
    created: 201,
    isItem: true,
    reads,
    looks,
    create: (target, version, key) => ({
      method: 'POST',
      template: path,
      path: `${path}?ns=${target.namespace}&id=${target.id}`,
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
function readsOfWhole(
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

const PAGES = '/api/html';

/** Every other page is markdown, which has a rendered view besides. */
function createPages(name: string, type: string): LoadKind {
  const contentOf = (target: string, version: number): string => {
    const text = textOf(target, version, sizeOf(version, 700, 9_000, 40_000));
    return type === 'text/markdown'
      ? `# A page\n\n${text}`
      : `<!doctype html><title>A page</title><pre>${text}`;
  };
  return createItemKind({
    name,
    path: PAGES,
    type,
    bodyOf: contentOf,
    reads: (target) => [
      wholeBody(shortCall(target, '?raw=true'), true, (version) => contentOf(nameOf(target), version)),
      {
        call: { ...itemCall('GET', PAGES, target, '/source'), headers: ownedBy(target) },
        take: (text) => (JSON.parse(text) as { content: string }).content,
        versionIn,
        expected: (version) => contentOf(nameOf(target), version),
        isShort: false,
      },
    ],
    looks: (target) => [
      shortCall(target),
      itemCall('GET', PAGES, target),
      { ...itemCall('GET', PAGES, target, '/settings'), headers: ownedBy(target) },
    ],
  });
}

export const htmlPages = createPages('page', 'text/html');
export const markdownPages = createPages('markdown', 'text/markdown');

const DOCUMENTS = '/api/json';

const documentOf = (name: string, version: number): string =>
  JSON.stringify({ text: textOf(name, version, sizeOf(version, 300, 5_000, 20_000)) });

/** JSON documents. */
export const documents = createItemKind({
  name: 'document',
  path: DOCUMENTS,
  type: 'application/json',
  bodyOf: documentOf,
  reads: readsOfWhole(DOCUMENTS, documentOf),
  looks: () => [],
});

const FILES = '/api/files';

const textOfFile = (name: string, version: number): string =>
  textOf(name, version, sizeOf(version, 2_000, 60_000, 200_000));

function formOf(name: string, version: number): FormData {
  const form = new FormData();
  form.append('file', new File([textOfFile(name, version)], 'notes.txt', { type: 'text/plain' }));
  return form;
}

/** Files: the same address gets another content only after a removal. */
export const files: LoadKind = {
  ...createItemKind({
    name: 'file',
    path: FILES,
    bodyOf: formOf,
    reads: readsOfWhole(FILES, textOfFile),
    looks: (target) => [shortCall(target, '?dl=true')],
  }),
  change: null,
};
