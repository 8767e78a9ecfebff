import { randomBytes } from 'node:crypto';
import postgres from 'postgres';

export interface OwnDatabase {
  name: string;
  url: string;
  /** Also with connections open, and when the server is gone. */
  drop(): Promise<void>;
}

/** An empty database on a server that others may use, too. `options` go into its creation. */
export async function createDatabase(serverUrl: string, options = ''): Promise<OwnDatabase> {
  const name = `perch_${randomBytes(6).toString('hex')}`;
  const admin = postgres(serverUrl, { max: 1, onnotice: () => undefined });
  await admin.unsafe(`create database ${name} ${options}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    name,
    url: url.href,
    async drop() {
      await admin.unsafe(`drop database if exists ${name} with (force)`).catch(() => undefined);
      await admin.end({ timeout: 1 });
    },
  };
}
