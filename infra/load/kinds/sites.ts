import { zipSync } from 'fflate';
import { createItemKind } from './items.ts';
import { itemCall, type LoadKind, nameOf, ownedBy, shortCall, textOf, wholeBody } from './kind.ts';

const PATH = '/api/sites';

/** Sites of so many files with so many bytes each, and one more, which are replaced as a whole. */
export function createSites(fileCount: number, fileBytes: number): LoadKind {
  const files = Array.from({ length: fileCount }, (_, n) =>
    n === 0 ? 'index.html' : `assets/part-${n}.txt`,
  );
  const fileOf = (site: string, version: number, path: string): string =>
    textOf(`${site}/${path}`, version, fileBytes);
  /** Versions differ in which files there are, too. */
  const pathsOf = (version: number): string[] => [...files, `only-in-v${version}.txt`].toSorted();
  const archiveOf = (site: string, version: number): Uint8Array => {
    const entries = pathsOf(version).map((path) => [path, Buffer.from(fileOf(site, version, path))] as const);
    // A fixed time: the same version is the same archive, as a repeated create has to be.
    return zipSync(Object.fromEntries(entries), { level: 0, mtime: new Date(2026, 0, 1) });
  };
  return createItemKind({
    name: 'site',
    path: PATH,
    type: 'application/zip',
    bodyOf: archiveOf,
    reads: (target) => [
      ...files.map((path) =>
        wholeBody(shortCall(target, `/${path}`), true, (version) => fileOf(nameOf(target), version, path)),
      ),
      {
        call: { ...itemCall('GET', PATH, target), headers: ownedBy(target) },
        take: (text) => pathsIn(text).join(' '),
        versionIn: (paths) => Number(/only-in-v(\d+)/.exec(paths)?.[1] ?? Number.NaN) || null,
        expected: (version) => pathsOf(version).join(' '),
        isShort: false,
      },
    ],
    looks: (target) => [shortCall(target, '/')],
  });
}

export const sites = createSites(4, 12_000);

const pathsIn = (text: string): string[] =>
  (JSON.parse(text) as { files: Array<{ path: string }> }).files.map(({ path }) => path).toSorted();
