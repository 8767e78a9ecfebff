import type { SiteFile, SiteIndex } from '../../../../shared/items/site-index.ts';

/** The file or redirect that a path within a site leads to. */
export type SiteAnswer =
  | { file: SiteFile; status: 200 | 404 }
  /** Relative to the site's root, decoded. */
  | { redirect: string };

/**
 * Finds what a site has at a path (specification 9.1).
 * @param sub the decoded path behind `/{ns}/{id}/`; empty for the root.
 * @param shown whether a browser shows the answer as a document, whose relative links count from its address.
 * @returns `null` when there is nothing and the site has no `404.html`.
 */
export function findSiteFile(
  index: SiteIndex,
  entryFile: string,
  sub: string,
  shown: boolean,
): SiteAnswer | null {
  const files = filesByPath(index);
  if (shown && sub === '' && entryFile.includes('/') && files.has(entryFile)) return { redirect: entryFile };
  const path = sub.normalize('NFC');
  const file = files.get(path === '' ? entryFile : path.endsWith('/') ? `${path}index.html` : path);
  if (file !== undefined) return { file, status: 200 };
  if (path !== '' && files.has(`${path}/index.html`)) return { redirect: `${path}/` };
  const missing = files.get('404.html');
  return missing === undefined ? null : { file: missing, status: 404 };
}

const known = new WeakMap<SiteIndex, Map<string, SiteFile>>();

function filesByPath(index: SiteIndex): Map<string, SiteFile> {
  const before = known.get(index);
  if (before !== undefined) return before;
  const files = new Map(index.files.map((file) => [file.path, file]));
  known.set(index, files);
  return files;
}
