import { open } from 'node:fs/promises';
import { readExactly } from '../../../../shared/read-exactly.ts';
import { archiveIssue } from './archive-issue.ts';
import { available } from './temporary-storage.ts';

/** The spooled archive, read piece by piece at given positions. */
export interface ArchiveSource {
  /** Bytes of the whole archive. */
  readonly size: number;
  /** @throws VALIDATION_FAILED when the archive ends before; UNAVAILABLE when the disk fails. */
  read(position: number, length: number): Promise<Buffer>;
  close(): Promise<void>;
}

export async function openSource(path: string): Promise<ArchiveSource> {
  const file = await available(() => open(path, 'r'));
  try {
    const { size } = await available(() => file.stat());
    return {
      size,
      async read(position, length) {
        if (position + length > size)
          throw archiveIssue('is cut off, or its directory points behind its end.');
        return await available(() => readExactly(file, position, Buffer.allocUnsafe(length)));
      },
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}
