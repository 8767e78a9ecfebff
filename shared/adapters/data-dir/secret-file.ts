import { open, readFile, rename, rm } from 'node:fs/promises';

/** Length of 32 bytes in base64url. A shorter file was cut off by a crash or a full disk. */
const CHARACTERS = 43;

/** A secret of 32 random bytes kept in a file that only its owner can read; made on first use. */
export async function readOrMakeSecret(file: string): Promise<string> {
  const temporary = `${file}.new`;
  // A crash may have left an unfinished attempt.
  await rm(temporary, { force: true });
  try {
    const kept = (await readFile(file, 'utf8')).trim();
    if (kept.length >= CHARACTERS) return kept;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const secret = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
  const handle = await open(temporary, 'wx', 0o600);
  try {
    await handle.writeFile(`${secret}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file);
  return secret;
}
