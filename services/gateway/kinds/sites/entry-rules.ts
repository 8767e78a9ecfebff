import { errors } from '../../../../shared/errors.ts';
import { LIMITS } from '../../../../shared/items/item.ts';
import { archiveIssue, entryIssue, quoted } from '../../archives/archive-issue.ts';
import type { DirectoryEntry } from '../../archives/central-directory.ts';
import type { SiteLimits } from './site-limits.ts';
import { createPathRegister, isSkippedPath, normaliseSitePath } from './site-paths.ts';

/** General purpose flags (APPNOTE 4.4.4). */
export const FLAG = {
  encrypted: 1 << 0,
  dataDescriptor: 1 << 3,
  patch: 1 << 5,
  strongEncryption: 1 << 6,
  maskedHeader: 1 << 13,
} as const;

/** Compression methods that are read (APPNOTE 4.4.5). */
export const METHOD = { stored: 0, deflated: 8 } as const;

/** Type bits of a Unix file mode. */
const MODE = { type: 0o170000, folder: 0o040000, file: 0o100000 } as const;

/** Deflate grows what it cannot compress by less than that. */
const MAX_COMPRESSED_BYTES = LIMITS.siteFileBytes + Math.ceil(LIMITS.siteFileBytes / 100);

/**
 * The entries that are files of the site, each with its normalised path. All entries are judged, also those that are
 * then left out: folders, what macOS puts beside the files, and dotfiles.
 * @throws VALIDATION_FAILED or TOO_LARGE for the first that breaks a rule.
 */
export function selectFiles(entries: DirectoryEntry[], limits: SiteLimits): Map<DirectoryEntry, string> {
  const files = new Map<DirectoryEntry, string>();
  const register = createPathRegister();
  let total = 0;
  for (const entry of entries) {
    assertReadable(entry);
    const path = pathOf(entry);
    if (path === null || isSkippedPath(path)) continue;
    const issue = register.add(path);
    if (issue !== null) throw archiveIssue(`the path ${quoted(path)} ${issue}`);
    assertFits(entry);
    total += entry.size;
    files.set(entry, path);
  }
  if (files.size > LIMITS.siteFiles)
    throw archiveIssue(`holds ${files.size} files; a site has at most ${LIMITS.siteFiles}.`);
  if (total > limits.maxBytes) throw errors.tooLarge('The site', limits.maxBytes);
  return files;
}

function assertReadable({ name, flags, method, size, compressedSize }: DirectoryEntry): void {
  if ((flags & (FLAG.encrypted | FLAG.strongEncryption | FLAG.maskedHeader)) !== 0)
    throw entryIssue(name, 'is encrypted; send the archive without a password.');
  if ((flags & FLAG.patch) !== 0) throw entryIssue(name, 'is a patch and no file.');
  if (method !== METHOD.stored && method !== METHOD.deflated)
    throw entryIssue(
      name,
      `is compressed by method ${method}; only stored (0) and deflated (8) can be read.`,
    );
  if (method === METHOD.stored && size !== compressedSize)
    throw entryIssue(name, 'is stored, yet has two different sizes.');
}

/** The normalised path of a file, or `null` for a folder. */
function pathOf({ name, mode, size }: DirectoryEntry): string | null {
  const type = mode & MODE.type;
  const isFolder = name.endsWith('/') || type === MODE.folder;
  if (isFolder && size !== 0) throw entryIssue(name, 'is a folder, yet has content.');
  if (type !== 0 && type !== (isFolder ? MODE.folder : MODE.file))
    throw entryIssue(name, 'is a link or a special file; send plain files.');
  if (isFolder && name === './') return null;
  const verdict = normaliseSitePath(isFolder && name.endsWith('/') ? name.slice(0, -1) : name);
  if ('issue' in verdict) throw archiveIssue(`the path ${quoted(name)} ${verdict.issue}`);
  return isFolder ? null : verdict.path;
}

function assertFits({ name, size, compressedSize }: DirectoryEntry): void {
  if (size > LIMITS.siteFileBytes || compressedSize > MAX_COMPRESSED_BYTES)
    throw errors.tooLarge(`The file ${quoted(name)}`, LIMITS.siteFileBytes);
}
