import { errors } from '../../../../shared/errors.ts';
import { LIMITS } from '../../../../shared/items/item.ts';
import type { SiteFile } from '../../../../shared/items/site-index.ts';
import { isLongerThan } from '../../../../shared/wording/line.ts';
import { quoted } from '../../archives/archive-issue.ts';
import { isSkippedPath, normaliseSitePath } from './site-paths.ts';

interface SiteLayout {
  /** Sorted by path. */
  files: SiteFile[];
  entryFile: string;
}

type WithPath = Pick<SiteFile, 'path'>;

/**
 * Drops the single folder in which all files lie, if there is one, and finds the entry file: the named one (with or
 * without that folder), else the kept one, else `index.html`, else the only HTML file (specification 8.2 and 8.4).
 * @param kept the file that the owner had named for the files before; it counts if there is one of its path
 * @throws VALIDATION_FAILED when there is none.
 */
export function layOut(packed: SiteFile[], named: string | null, kept: string | null): SiteLayout {
  const folder = singleFolder(packed);
  const files = packed
    .map((file) => ({ ...file, path: file.path.slice(folder.length) }))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
  if (named !== null) return { files, entryFile: namedEntry(files, folder, named) };
  return { files, entryFile: unnamedEntry(files, kept) };
}

/** The entry file where the upload names none (`layOut`). @throws VALIDATION_FAILED when there is none */
export function unnamedEntry(files: WithPath[], kept: string | null): string {
  const entryFile = files.some(({ path }) => path === kept) ? kept : foundEntry(files);
  if (entryFile === null) throw noEntry(files);
  return entryFile;
}

/** The folder that holds every file, with its slash, or nothing. */
function singleFolder(files: WithPath[]): string {
  const first = files[0]?.path ?? '';
  const folder = first.slice(0, first.indexOf('/') + 1);
  return files.every(({ path }) => path.startsWith(folder)) ? folder : '';
}

/**
 * The folder in which the files of a site lie in its archive, with its slash: none, or one that an upload of the archive drops,
 * where without it the upload would change or leave out paths. A site has such paths when it came in a folder, so there is room
 * for one.
 */
export function folderAround(files: WithPath[]): string {
  if (singleFolder(files) === '' && files.every(staysAsItIs)) return '';
  const isTooLong = files.some(({ path }) => isLongerThan(`site/${path}`, LIMITS.sitePathCharacters));
  return isTooLong ? 's/' : 'site/';
}

function staysAsItIs({ path }: WithPath): boolean {
  const verdict = normaliseSitePath(path);
  return 'path' in verdict && verdict.path === path && !isSkippedPath(path);
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

/** The file that a site begins with when none is named, or `null`. */
export function foundEntry(files: WithPath[]): string | null {
  if (files.some(({ path }) => path === 'index.html')) return 'index.html';
  const [only, ...more] = files.filter(isHtml);
  return only === undefined || more.length > 0 ? null : only.path;
}

const isHtml = ({ path }: WithPath): boolean => /\.html?$/i.test(path);

const noEntry = (files: WithPath[]) =>
  entryIssue(
    files.some(isHtml)
      ? 'the site has no index.html and several other HTML files; name the one to begin with.'
      : 'the site has no HTML file; add an index.html or name the file to begin with.',
  );

const entryIssue = (message: string) => errors.validationFailed([{ field: 'entry', message }]);
