import { homedir } from 'node:os';
import { join } from 'node:path';
import { env, platform } from 'node:process';

/** Settings of the environment. */
export interface Settings {
  /** `PERCH_URL`, or a Perch on this machine. */
  url: string;
  /** `PERCH_TOKEN`: used instead of the tokens that are kept. */
  token: string | null;
  /** Asked for when a token is read or written: a user without a home has none. */
  configFolder(): string;
}

/** The one place that reads the environment. */
export function readSettings(): Settings {
  return {
    url: env.PERCH_URL || 'http://localhost:8080',
    token: env.PERCH_TOKEN || null,
    configFolder: () => join(configBase(), 'perch'),
  };
}

const configBase = (): string =>
  platform === 'win32'
    ? (env.APPDATA ?? join(homedir(), 'AppData', 'Roaming'))
    : env.XDG_CONFIG_HOME || join(homedir(), '.config');
