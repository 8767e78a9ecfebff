import { readFile, writeFile } from 'node:fs/promises';

/** A secret of 32 random bytes kept in a file that only its owner can read; made on first use. */
export async function readOrMakeSecret(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const secret = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
  await writeFile(file, `${secret}\n`, { mode: 0o600, flag: 'wx' });
  return secret;
}
