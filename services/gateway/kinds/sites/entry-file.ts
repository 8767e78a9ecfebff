import { errors } from '../../../../shared/errors.ts';
import type { SiteFile } from '../../../../shared/items/site-index.ts';
import { quoted } from '../../archives/archive-issue.ts';
import { normaliseSitePath } from './site-paths.ts';

export interface SiteLayout {
  /** Sorted by path. */
  files: SiteFile[];
  entryFile: string;
}

/**
 * Drops the single folder in which all files lie, if there is one, and finds the entry file: the named one (with or
 * without that folder), else `index.html`, else the only HTML file (specification 8.2).
 * @throws VALIDATION_FAILED when there is none.
 */
export function layOut(packed: SiteFile[], entry: string | null): SiteLayout {
  const folder = singleFolder(packed);
  const files = packed
    .map((file) => ({ ...file, path: file.path.slice(folder.length) }))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
  return { files, entryFile: entry === null ? findEntry(files) : namedEntry(files, folder, entry) };
}

/** The folder that holds every file, with its slash, or nothing. */
function singleFolder(files: SiteFile[]): string {
  const first = files[0]?.path ?? '';
  const folder = first.slice(0, first.indexOf('/') + 1);
  return files.every(({ path }) => path.startsWith(folder)) ? folder : '';
}

function namedEntry(files: SiteFile[], folder: string, entry: string): string {
  const verdict = normaliseSitePath(entry);
  if ('issue' in verdict) throw entryIssue(`${quoted(entry)} ${verdict.issue}`);
  const { path } = verdict;
  const wanted = [path, ...(folder !== '' && path.startsWith(folder) ? [path.slice(folder.length)] : [])];
  const found = wanted.find((name) => files.some((file) => file.path === name));
  if (found === undefined) throw entryIssue(`${quoted(entry)} is not among the files of the site.`);
  return found;
}

function findEntry(files: SiteFile[]): string {
  if (files.some(({ path }) => path === 'index.html')) return 'index.html';
  const [only, ...more] = files.filter(({ path }) => /\.html?$/i.test(path));
  if (only !== undefined && more.length === 0) return only.path;
  throw entryIssue(
    only === undefined
      ? 'the site has no HTML file; add an index.html or name the file to begin with.'
      : 'the site has no index.html and several other HTML files; name the one to begin with.',
  );
}

const entryIssue = (message: string) => errors.validationFailed([{ field: 'entry', message }]);
