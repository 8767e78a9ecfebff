import { open } from 'node:fs/promises';
import { errors } from '../../../../shared/errors.ts';
import { LIMITS } from '../../../../shared/items/item.ts';
import { readExactly } from '../../../../shared/read-exactly.ts';
import { quoted } from '../../archives/archive-issue.ts';
import { copyOfSlice } from '../../http/text.ts';
import type { SitePart } from './site-limits.ts';
import type { SpoolFile } from './spool.ts';
import { available } from './temporary-storage.ts';

/** The files of a folder, written one behind the other as they come; their paths may come before or after them. */
export interface FolderUpload {
  add(filename: string, body: AsyncIterable<Uint8Array>): Promise<void>;
  /**
   * The files, in their order.
   * @param paths one for each file, instead of its filename; none at all when it is empty.
   * @throws VALIDATION_FAILED when there are not as many paths as files
   */
  open(paths: string[]): FolderFiles;
}

export interface FolderFiles {
  totalBytes: number;
  files(): AsyncGenerator<SitePart>;
  close(): Promise<void>;
}

/** More than a path may have, with the folder in front of it. */
const LONGEST_NAME = 2 * LIMITS.sitePathCharacters + 3;

interface Part {
  filename: string;
  length: number;
}

export function createFolderUpload(spooled: SpoolFile): FolderUpload {
  const parts: Part[] = [];

  return {
    async add(filename, body) {
      let length = 0;
      for await (const chunk of body) {
        length += chunk.length;
        if (length > LIMITS.siteFileBytes)
          throw errors.tooLarge(`The file ${quoted(filename)}`, LIMITS.siteFileBytes);
        await spooled.write(chunk);
      }
      // Names come in headers of up to 16 KB; one that is cut off is still too long.
      parts.push({ filename: copyOfSlice(filename.slice(0, LONGEST_NAME)), length });
    },
    open(paths) {
      if (paths.length > 0 && paths.length !== parts.length) throw unequal(paths.length, parts.length);
      return {
        totalBytes: parts.reduce((sum, { length }) => sum + length, 0),
        files: () => read(spooled.path, parts, paths),
        async close() {},
      };
    },
  };
}

async function* read(spooledPath: string, parts: Part[], paths: string[]): AsyncGenerator<SitePart> {
  const file = await available(() => open(spooledPath, 'r'));
  try {
    let position = 0;
    for (const [index, { filename, length }] of parts.entries()) {
      const start = position;
      const bytes = await available(() => readExactly(file, start, Buffer.allocUnsafe(length)));
      position += length;
      yield { path: paths[index] ?? filename, bytes };
    }
  } finally {
    await file.close();
  }
}

const unequal = (paths: number, files: number) =>
  errors.validationFailed([
    { field: 'paths', message: `there are ${paths} paths for ${files} files; send one for each, or none.` },
  ]);
