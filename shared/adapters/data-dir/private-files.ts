import { chmod, chown, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { errorCode } from '../../error-code.ts';
import type { Logger } from '../../logger.ts';

/** Fewest characters of a secret: an operator may put one of their own into the file, as into COOKIE_SECRET. */
const MIN_CHARACTERS = 32;

/**
 * A secret kept in a file that only its owner can read; of 32 random bytes, made on first use.
 * @throws Error when the file has fewer characters than a secret: its text is neither used nor replaced
 */
export async function readOrMakeSecret(file: string): Promise<string> {
  const temporary = `${file}.new`;
  // A crash may have left an unfinished attempt.
  await rm(temporary, { force: true });
  try {
    const kept = (await readFile(file, 'utf8')).trim();
    if (kept.length >= MIN_CHARACTERS) return kept;
    if (kept.length > 0)
      throw new Error(
        `${file} holds ${kept.length} characters, which are too few for a secret. Put one of at least ${MIN_CHARACTERS} there, or remove the file to have one made.`,
      );
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
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

/**
 * Closes a folder to all users but its own: what lies in it may have been readable to anybody, under an earlier release.
 * Where the file system or its owner does not allow that, the log says so.
 */
export async function closeFolder(folder: string, log: Logger): Promise<void> {
  await setMode(folder, 0o700).catch((error: unknown) =>
    log.warn(
      { error, folder },
      'other users of this machine may be able to read this folder: it cannot be closed',
    ),
  );
}

/** Lets a group pass through a closed folder to what is its own below, and see nothing else of it. */
export async function openPassage(folder: string, gid: number): Promise<void> {
  await chown(folder, (await stat(folder)).uid, gid);
  await setMode(folder, 0o710);
}

async function setMode(folder: string, mode: number): Promise<void> {
  if (((await stat(folder)).mode & 0o777) !== mode) await chmod(folder, mode);
}
