import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import mime from 'mime';
import { errors } from '../../../../shared/errors.ts';
import { etagOf } from '../../../../shared/items/etag.ts';
import { LIMITS } from '../../../../shared/items/item.ts';
import type { SiteFile, SiteIndex } from '../../../../shared/items/site-index.ts';
import type { PerchError } from '../../../../shared/perch-error.ts';
import { quoted } from '../../archives/archive-issue.ts';
import { isProgramName, programIn } from './programs.ts';
import { createSiteInspector, type SiteConcerns } from './site-concerns.ts';
import { layOut } from './site-layout.ts';
import { createPathRegister, isSkippedPath, normaliseSitePath } from './site-paths.ts';
import { openSpoolFile } from './spool.ts';

/** A site written back to back into one file. */
export interface PackedSiteFile {
  index: SiteIndex;
  entryFile: string;
  fileCount: number;
  totalSizeBytes: number;
  concerns: SiteConcerns;
  /** Where the packed file lies. */
  path: string;
}

/** Gathers the files of one site. One call at a time. */
export interface SitePacker {
  /**
   * Appends a file, or leaves it out when it is none of a site (`isSkippedPath`).
   * @throws VALIDATION_FAILED for a path that breaks the rules or is there already, and for too many files;
   * TOO_LARGE; UNSUPPORTED_MEDIA_TYPE and CONTENT_REJECTED for a program; UNAVAILABLE when the disk fails.
   */
  add(path: string, bytes: Uint8Array): Promise<void>;
  /**
   * Closes the packed file.
   * @param entry the file that the caller wants to begin with, or `null`.
   * @param kept one that the files before began with, if it is to stay; `entry` comes before it.
   * @throws VALIDATION_FAILED when there are no files, or none to begin with.
   */
  finish(entry: string | null, kept?: string | null): Promise<PackedSiteFile>;
  /** Removes the packed file: after any error, and when a finished one has served. May be repeated. */
  abort(): Promise<void>;
}

/** `packedPath` must not exist yet. */
export async function createSitePacker(packedPath: string, siteMaxBytes: number): Promise<SitePacker> {
  const packed = await createPackedFile(packedPath);
  const register = createPathRegister();
  const files: SiteFile[] = [];
  const inspector = createSiteInspector();

  return {
    async add(rawPath, bytes) {
      const verdict = normaliseSitePath(rawPath);
      if ('issue' in verdict) throw pathIssue(rawPath, verdict.issue);
      const { path } = verdict;
      if (isSkippedPath(path)) return;
      const issue = register.add(path);
      if (issue !== null) throw pathIssue(path, issue);
      if (isProgramName(path)) throw errors.programExtension(path);
      if (files.length >= LIMITS.siteFiles)
        throw filesIssue(`has more files than ${LIMITS.siteFiles}, which a site may have.`);
      if (bytes.length > LIMITS.siteFileBytes)
        throw errors.tooLarge(`The file ${quoted(path)}`, LIMITS.siteFileBytes);
      const program = programIn(bytes);
      if (program !== null) throw errors.programContent(path, program);
      const offset = packed.size;
      if (offset + bytes.length > siteMaxBytes) throw errors.tooLarge('The site', siteMaxBytes);
      const etag = etagOf({ sha256: createHash('sha256').update(bytes).digest('hex') });
      const contentType = contentTypeOf(path, bytes);
      inspector.look(path, contentType, bytes);
      files.push({ path, offset, length: bytes.length, contentType, etag });
      await packed.append(bytes);
    },
    async finish(entry, kept = null) {
      if (files.length === 0)
        throw filesIssue('has no files to publish (folders, __MACOSX/ and dotfiles do not count).');
      const layout = layOut(files, entry, kept);
      await packed.finish();
      return {
        index: { files: layout.files },
        entryFile: layout.entryFile,
        fileCount: files.length,
        totalSizeBytes: packed.size,
        concerns: inspector.concerns(),
        path: packedPath,
      };
    },
    abort: () => packed.remove(),
  };
}

const filesIssue = (message: string): PerchError => errors.validationFailed([{ field: 'files', message }]);
const pathIssue = (path: string, issue: string): PerchError =>
  filesIssue(`the path ${quoted(path)} ${issue}`);

/** Source code that is served as text; `mime` mistakes some of its extensions for video. */
const SOURCE = /\.(?:ts|mts|cts|tsx|jsx)$/i;

/**
 * The type that a file of a site is served as, by its name. Text in another encoding than UTF-8 gets
 * no charset in the header, which would override the one it declares itself (`<meta charset>`, a byte order mark).
 */
function contentTypeOf(path: string, bytes: Uint8Array): string {
  const type = typeOf(path);
  return type.startsWith('text/') && isUtf8(bytes) ? `${type}; charset=utf-8` : type;
}

function typeOf(path: string): string {
  if (SOURCE.test(path)) return 'text/plain';
  // The slash in front keeps `mime` from taking a name without a dot for an extension.
  return mime.getType(`/${path}`) ?? 'application/octet-stream';
}

/** Small writes are gathered up to this many bytes. */
const BUFFER_BYTES = 262_144;

/** A new file that grows at its end; small writes are gathered. One call at a time. */
interface PackedFile {
  /** Bytes appended so far. */
  readonly size: number;
  /** Resolves when the bytes are written or copied, so that the caller may reuse them. */
  append(bytes: Uint8Array): Promise<void>;
  /** Writes what is gathered and closes the file. */
  finish(): Promise<void>;
  /** Closes and removes the file, at any time and any number of times. */
  remove(): Promise<void>;
}

/** @throws UNAVAILABLE when the file exists or the disk fails. */
async function createPackedFile(path: string): Promise<PackedFile> {
  const file = await openSpoolFile(path, 'wx');
  const buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  let gathered = 0;
  let size = 0;

  const flush = async (): Promise<void> => {
    const length = gathered;
    gathered = 0;
    if (length > 0) await file.write(buffer.subarray(0, length));
  };

  return {
    get size() {
      return size;
    },
    async append(bytes) {
      if (gathered + bytes.length > buffer.length) await flush();
      if (bytes.length > buffer.length) await file.write(bytes);
      else {
        buffer.set(bytes, gathered);
        gathered += bytes.length;
      }
      size += bytes.length;
    },
    async finish() {
      await flush();
      await file.finish();
    },
    remove: file.remove,
  };
}
