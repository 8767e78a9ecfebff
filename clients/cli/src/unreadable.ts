import { open } from 'node:fs/promises';
import { CommandError, EXIT, messageOf } from './failures.ts';

/** Advice for what keeps a file from being read, by the code of the system's error. */
const ADVICE: Record<string, string> = {
  EACCES: 'you may not read it. Give yourself the right to (chmod u+r), or leave it out',
  EPERM: 'you may not read it. Give yourself the right to, or leave it out',
  EISDIR: 'it is a folder, where a file belongs',
  ENOENT: 'it is gone. Try again when nothing changes it',
  ENOTDIR: 'it is gone. Try again when nothing changes it',
  ELOOP: 'it is a link that leads to itself. Let it lead to a file',
};

/**
 * The failure to read something on this machine, which says what, why, and what to do.
 * @param exitCode as of wrong use when left out: nothing was sent
 */
export function unreadable(path: string, error: unknown, exitCode: number = EXIT.usage): CommandError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return new CommandError(`${path} cannot be read: ${ADVICE[code] ?? messageOf(error)}.`, exitCode);
}

/** `unreadable` of a file that could be opened before: runtimes do not say why its content does not come to its end. */
export async function unreadContent(path: string, error: unknown): Promise<CommandError> {
  const again = await open(path).catch((reason: unknown) => ({ reason }));
  if ('reason' in again) return unreadable(path, again.reason, EXIT.unexpected);
  await again.close();
  const why = `it has changed meanwhile (${messageOf(error)}). Try again when nothing changes it`;
  return unreadable(path, new Error(why), EXIT.unexpected);
}
