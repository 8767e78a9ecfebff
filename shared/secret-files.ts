import { readFileSync, statSync } from 'node:fs';

/** Settings that are secret, or hold a password: each may come from a file that `<name>_FILE` names. */
export const SECRET_SETTINGS = [
  'PG_URL',
  'REDIS_URL',
  'NATS_URL',
  'S3_ACCESS_KEY',
  'S3_SECRET_KEY',
  'COOKIE_SECRET',
  'ADMIN_PASSWORD',
  'WEBHOOK_SECRET',
  'SMTP_URL',
] as const;

/** Far above every secret: what is larger is another file. */
const MAX_BYTES = 65_536;

/**
 * Reads secrets from files, as container platforms hand them in: a variable is to be seen by whoever may inspect the
 * container. The returned function gives the content without white space at its ends, or `null` when no file is named.
 * A name that leads nowhere is a fault, and so is one beside a value.
 */
export function createSecretFiles(
  env: Record<string, string | undefined>,
  fault: (name: string, got: string, wants: string) => void,
): (name: string) => string | null {
  const contents = new Map<string, string | null>();
  const read = (name: string): string | null => {
    const variable = `${name}_FILE`;
    const path = env[variable]?.trim() ?? '';
    if (path === '') return null;
    if ((env[name]?.trim() ?? '') !== '') {
      fault(variable, path, `to be left out, because ${name} is set`);
      return null;
    }
    const content = contentOf(path);
    if (content === null) fault(variable, path, 'a file that can be read and is not empty');
    return content;
  };
  return (name) => {
    if (!SECRET_SETTINGS.some((secret) => secret === name)) return null;
    const known = contents.get(name);
    if (known !== undefined) return known;
    const content = read(name);
    contents.set(name, content);
    return content;
  };
}

function contentOf(path: string): string | null {
  try {
    const file = statSync(path);
    if (!file.isFile() || file.size > MAX_BYTES) return null;
    return readFileSync(path, 'utf8').trim() || null;
  } catch {
    return null;
  }
}
