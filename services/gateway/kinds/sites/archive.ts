import { readCentralDirectory } from '../../archives/central-directory.ts';
import { readEndRecord } from '../../archives/end-record.ts';
import { selectFiles } from './entry-rules.ts';
import { placeEntries } from './local-headers.ts';
import { openSource } from './open-archive.ts';
import { readEntry } from './read-entry.ts';
import type { SiteLimits, SitePart } from './site-limits.ts';

/** A ZIP archive whose structure has been found sound; its contents are checked as they are read. */
export interface Archive {
  /** Files of the site in it, without folders and what is left out. */
  readonly fileCount: number;
  /** Bytes of these files as declared; their contents are held to it. */
  readonly totalBytes: number;
  /**
   * The files one at a time, in the order of the archive, under normalised paths. No more than the one at hand is in
   * memory.
   * @throws VALIDATION_FAILED when a content is damaged or not what the directory declares.
   */
  files(): AsyncGenerator<SitePart>;
  close(): Promise<void>;
}

/**
 * Opens a spooled ZIP archive as an upload of a site. Only its directory and headers are read here; everything that
 * they can tell about a broken rule (specification 8.2) is refused before any content is unpacked.
 * @throws VALIDATION_FAILED, TOO_LARGE; UNAVAILABLE when the disk fails.
 */
export async function openArchive(path: string, limits: SiteLimits): Promise<Archive> {
  const source = await openSource(path);
  try {
    const end = await readEndRecord(source);
    const entries = await readCentralDirectory(source, end);
    const paths = selectFiles(entries, limits);
    const placed = await placeEntries(source, entries, end.directoryOffset);
    return {
      fileCount: paths.size,
      totalBytes: [...paths.keys()].reduce((sum, { size }) => sum + size, 0),
      async *files() {
        for (const entry of placed) {
          const filePath = paths.get(entry.listed);
          if (filePath !== undefined) yield { path: filePath, bytes: await readEntry(source, entry) };
        }
      },
      close: () => source.close(),
    };
  } catch (error) {
    await source.close();
    throw error;
  }
}
