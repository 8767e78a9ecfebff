import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import pino from 'pino';
import postgres from 'postgres';
import { ownEnvironment } from '../infra/environment.ts';
import { PREPARED_CLUSTER, startPostgres } from '../infra/servers/postgres.ts';
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
  return {
    name,
    url: databaseUrl(serverUrl, name),
    async drop() {
      await admin.unsafe(`drop database if exists ${name} with (force)`).catch(() => undefined);
      await admin.end({ timeout: 1 });
    },
  };
}

function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

const log = pino({ level: 'silent' });

/** The database with all migrations in the cluster that the servers of a run are copies of. */
const PREPARED_TEMPLATE = 'perch_template';

/**
 * Makes the cluster that all PostgreSQL servers of a run begin as copies of, with a database to copy further ones from. Returns its
 * folder, for the variable `PREPARED_CLUSTER`.
 */
export async function prepareCluster(dir: string): Promise<string> {
  // A copy is as large as its log of changes (WAL).
  const settings = { min_wal_size: '32MB', max_wal_size: '32MB' };
  const server = await startPostgres({ dir, fsync: false, settings });
  try {
    const admin = postgres(server.url, { max: 1, onnotice: () => undefined });
    await admin.unsafe(`create database ${PREPARED_TEMPLATE}`);
    await admin.end();
    await migrate(databaseUrl(server.url, PREPARED_TEMPLATE), { directory: MIGRATIONS, log });
  } finally {
    await server.stop();
  }
  return server.dataFolder;
}

/** The database that others on a server are copied from, by the server's address. */
const templates = new Map<string, () => Promise<{ name: string; stop(): Promise<void> }>>();

function templateOf(serverUrl: string): Promise<{ name: string }> {
  const made = templates.get(serverUrl);
  if (made !== undefined) return made();
  const make = oncePerRun(async () => {
    if (ownEnvironment()[PREPARED_CLUSTER] !== undefined)
      return { name: PREPARED_TEMPLATE, stop: () => Promise.resolve() };
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
