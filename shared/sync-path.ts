import { open } from 'node:fs/promises';

/** Makes a file durable, or the entries of a folder: names that were put in, changed or taken out. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
