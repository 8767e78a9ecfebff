import { open } from 'node:fs/promises';
import { readExactly } from '../../../../shared/read-exactly.ts';
import { archiveIssue } from '../../archives/archive-issue.ts';
import type { ArchiveSource } from '../../archives/end-record.ts';
import { available } from './temporary-storage.ts';

/** The spooled archive. */
export interface OpenArchive extends ArchiveSource {
  close(): Promise<void>;
}

export async function openSource(path: string): Promise<OpenArchive> {
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
