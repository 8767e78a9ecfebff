import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import pino from 'pino';
import postgres from 'postgres';
import { ownEnvironment } from '../infra/environment.ts';
import { startPostgres } from '../infra/servers/postgres.ts';
import { migrate } from '../shared/adapters/database/migrate.ts';
import { MIGRATIONS } from '../shared/wiring/migrations.ts';
import { temporaryFolder } from './servers.ts';
import { oncePerRun } from './started.ts';

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

const log = pino({ level: 'silent' });

/** The database that others on a server are copied from, by the server's address. */
const templates = new Map<string, () => Promise<{ name: string; stop(): Promise<void> }>>();

function templateOf(serverUrl: string): Promise<{ name: string }> {
  const made = templates.get(serverUrl);
  if (made !== undefined) return made();
  const make = oncePerRun(async () => {
    const { name, url, drop } = await createDatabase(serverUrl);
    await migrate(url, { directory: MIGRATIONS, log });
    return { name, stop: drop };
  });
  templates.set(serverUrl, make);
  return make();
}

/** An empty database with all migrations: a copy, as running them takes longer than most tests do. */
export async function createMigratedDatabase(serverUrl: string): Promise<OwnDatabase> {
  const template = await templateOf(serverUrl);
  return await createDatabase(serverUrl, `template ${template.name}`);
}

const ownServer = oncePerRun(async () => {
  const dir = await temporaryFolder();
  const server = await startPostgres({ dir, fsync: false });
  return {
    url: server.url,
    async stop() {
      await server.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
});

/** The PostgreSQL server that the environment names, else one for all test files of the run, which nobody may end. */
export const databaseServer = async (): Promise<string> => ownEnvironment().PG_URL ?? (await ownServer()).url;
