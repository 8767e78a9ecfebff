import { open } from 'node:fs/promises';
import { errors } from '../../../../shared/errors.ts';
import { LIMITS } from '../../../../shared/items/item.ts';
import { readExactly } from '../../../../shared/read-exactly.ts';
import { quoted } from '../../archives/archive-issue.ts';
import { roomOfText } from '../../http/multipart.ts';
import { copyOfSlice } from '../../http/text.ts';
import type { OpenUpload, SitePart } from './archive.ts';
import { isSkippedPath, normaliseSitePath } from './site-paths.ts';
import { available, type SpoolFile } from './spool.ts';

/** The files of a folder, written one behind the other as they come; their paths may come before or after them. */
interface FolderUpload {
  /**
   * Takes one more file in.
   * @param path of its own, if that has come already
   * @throws VALIDATION_FAILED for too many; TOO_LARGE when the path has come
   */
  add(filename: string, body: AsyncIterable<Uint8Array>, path?: string): Promise<void>;
  /**
   * The files, in their order.
   * @param paths one for each file, instead of its filename; none at all when it is empty.
   * @throws VALIDATION_FAILED when there are not as many paths as files; TOO_LARGE
   */
  open(paths: string[]): OpenUpload;
}

/**
 * Most files that are not left out by what is known of their paths as they come. More than a site may have, as paths that come
 * later may leave out some.
 */
const MAX_FILES = 2 * LIMITS.siteFiles;

/** Most files in all: of a repository there may be thousands below `.git`. */
export const MAX_PARTS = 10 * LIMITS.siteFiles;

/** More than a path may have, with the folder in front of it. */
const MAX_NAME = 2 * LIMITS.sitePathCharacters + 3;

interface Part {
  filename: string;
  /** Bytes in the spool file. */
  length: number;
  /** Whether it has more bytes than a file of a site may have: those are not in the spool file. */
  isCut: boolean;
}

/** Whether a file of that path is no part of a site. */
function isLeftOut(path: string): boolean {
  const verdict = normaliseSitePath(path);
  return 'path' in verdict && isSkippedPath(verdict.path);
}

const tooManyFiles = () =>
  filesIssue(
    `has more than ${MAX_FILES} files; a site has at most ${LIMITS.siteFiles}. Leave out folders that are no part of it, such as those of dependencies.`,
  );

const tooManyParts = () =>
  filesIssue(
    `has more than ${MAX_PARTS} files, dotfiles among them, which are left out. Send the folder without them.`,
  );

const filesIssue = (message: string) => errors.validationFailed([{ field: 'files', message }]);

const fileTooLarge = (path: string) => errors.tooLarge(`The file ${quoted(path)}`, LIMITS.siteFileBytes);

/** @param takeRoom waits for room in memory, for the names */
export function createFolderUpload(
  spooled: SpoolFile,
  takeRoom: (bytes: number) => Promise<void>,
): FolderUpload {
  const parts: Part[] = [];
  /** How many of the parts are not left out. */
  let files = 0;

  return {
    async add(filename, body, path) {
      if (parts.length >= MAX_PARTS) throw tooManyParts();
      if (!isLeftOut(path ?? filename) && ++files > MAX_FILES) throw tooManyFiles();
      // Names come in headers of up to 16 KB; one that is cut off is still too long.
      const name = copyOfSlice(filename.slice(0, MAX_NAME));
      await takeRoom(roomOfText(name.length));
      let length = 0;
      let isCut = false;
      for await (const chunk of body) {
        isCut ||= length + chunk.length > LIMITS.siteFileBytes;
        if (isCut) {
          if (path !== undefined && !isLeftOut(path)) throw fileTooLarge(path);
          // The part is read to its end, as a site may follow it, and the path that says that it is no part of that.
          continue;
        }
        length += chunk.length;
        await spooled.write(chunk);
      }
      parts.push({ filename: name, length, isCut });
    },
    open(paths) {
      if (paths.length > 0 && paths.length !== parts.length) throw unequal(paths.length, parts.length);
      const named = parts.map((part, index) => ({ ...part, path: paths[index] ?? part.filename }));
      const large = named.find(({ path, isCut }) => isCut && !isLeftOut(path));
      if (large !== undefined) throw fileTooLarge(large.path);
      return {
        totalBytes: parts.reduce((sum, { length, isCut }) => (isCut ? sum : sum + length), 0),
        files: () => read(spooled.path, named),
        async close() {},
      };
    },
  };
}

async function* read(spooledPath: string, parts: Array<Part & { path: string }>): AsyncGenerator<SitePart> {
  const file = await available(() => open(spooledPath, 'r'));
  try {
    let position = 0;
    for (const { path, length, isCut } of parts) {
      const start = position;
      position += length;
      if (isCut) continue;
      yield { path, bytes: await available(() => readExactly(file, start, Buffer.allocUnsafe(length))) };
    }
  } finally {
    await file.close();
  }
}

const unequal = (paths: number, files: number) =>
  errors.validationFailed([
    { field: 'paths', message: `there are ${paths} paths for ${files} files; send one for each, or none.` },
  ]);
