import { createItemKind } from './item-kind.ts';
import { itemCall, type LoadKind, nameOf, ownedBy, shortCall, wholeBody } from './kind.ts';
import { sizeOf, textOf, versionIn } from './text.ts';

const PATH = '/api/html';

/** Every other page is markdown, which has a rendered view besides. */
function createPages(name: string, type: string): LoadKind {
  const contentOf = (target: string, version: number): string => {
    const text = textOf(target, version, sizeOf(version, 700, 9_000, 40_000));
    return type === 'text/markdown'
      ? `# A page\n\n${text}`
      : `<!doctype html><title>A page</title><pre>${text}`;
  };
  return createItemKind({
    ...{ name, path: PATH, type, bodyOf: contentOf },
    reads: (target) => [
      wholeBody(shortCall(target, '?raw=true'), true, (version) => contentOf(nameOf(target), version)),
      {
        call: { ...itemCall('GET', PATH, target, '/source'), headers: ownedBy(target) },
        take: (text) => (JSON.parse(text) as { content: string }).content,
        versionIn,
        expected: (version) => contentOf(nameOf(target), version),
        isShort: false,
      },
    ],
    looks: (target) => [
      shortCall(target),
      itemCall('GET', PATH, target),
      { ...itemCall('GET', PATH, target, '/settings'), headers: ownedBy(target) },
    ],
  });
}

export const htmlPages = createPages('page', 'text/html');
export const markdownPages = createPages('markdown', 'text/markdown');
