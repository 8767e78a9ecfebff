import { LIMITS } from '../../../../shared/items/item.ts';
import { CONTROL, isLongerThan } from '../../../../shared/wording/line.ts';
import { isLikeTicket } from '../../items/item-address.ts';

type PathVerdict = { path: string } | { issue: string };

/**
 * The path of a file within its site (specification 8.2): relative, NFC, segments divided by `/`. One leading `./`,
 * which some tools write, is dropped. The text of an issue follows the path in a message.
 */
export function normaliseSitePath(raw: string): PathVerdict {
  if (!raw.isWellFormed()) return { issue: 'contains half of a surrogate pair.' };
  if (CONTROL.test(raw)) return { issue: 'contains a control character.' };
  if (raw.includes('\\')) return { issue: 'contains a backslash; divide folders by "/".' };
  const path = (raw.startsWith('./') ? raw.slice(2) : raw).normalize('NFC');
  if (path.startsWith('/')) return { issue: 'is absolute; paths are relative to the site.' };
  if (/^[a-z]:/i.test(path)) return { issue: 'names a drive; paths are relative to the site.' };
  if (isLongerThan(path, LIMITS.sitePathCharacters))
    return { issue: `has more than ${LIMITS.sitePathCharacters} characters.` };
  const segments = path.split('/');
  if (segments.includes('')) return { issue: 'is empty or has an empty folder name.' };
  if (segments.includes('.') || segments.includes('..'))
    return { issue: 'contains "." or ".."; paths stay inside of the site.' };
  if (segments.slice(0, -1).some(isLikeTicket))
    return { issue: 'has a folder whose name, "~", digits, a dot and 43 characters, is that of a ticket.' };
  return { path };
}

/** Whether a normalised path is no part of a site: what macOS puts beside the files, and dotfiles. */
export const isSkippedPath = (path: string): boolean => /^__MACOSX(\/|$)|(^|\/)\./.test(path);

/** The paths that a site has so far, told apart as by a file system that ignores case. */
interface PathRegister {
  /** Takes a normalised path in and returns `null`, or returns the issue with it as the end of a message. */
  add(path: string): string | null;
}

/** Keeps one text for each path, in order: a set of all their folders has hundreds for each path that is deep. */
export function createPathRegister(): PathRegister {
  const keys: string[] = [];
  return {
    add(path) {
      const key = sortKey(path);
      const at = placeOf(key, keys);
      const [before, after] = [keys[at - 1], keys[at]];
      if (after === key) return 'is there twice (upper and lower case count as the same).';
      if (after?.startsWith(`${key}${BELOW}`)) return 'is both a file and a folder.';
      if (before !== undefined && key.startsWith(`${before}${BELOW}`))
        return 'lies in a folder that is also a file.';
      keys.splice(at, 0, key);
      return null;
    },
  };
}

/** Divides folders in keys. No path has a character below it, so what lies in a folder comes right behind its name. */
const BELOW = '\0';

const sortKey = (path: string): string => path.toLowerCase().replaceAll('/', BELOW);

/** Where a key is, or belongs, among keys in order. */
function placeOf(key: string, keys: string[]): number {
  let [from, to] = [0, keys.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((keys[middle] ?? '') < key) from = middle + 1;
    else to = middle;
  }
  return from;
}
