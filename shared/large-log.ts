import { rename, stat } from 'node:fs/promises';

/** Renames a log of more bytes to `<file>.1`, in place of an earlier one: whoever appends to it next begins a new file. */
export async function putAsideIfLarge(file: string, maxBytes: number): Promise<void> {
  const { size } = await stat(file).catch(() => ({ size: 0 }));
  if (size > maxBytes) await rename(file, `${file}.1`);
}
