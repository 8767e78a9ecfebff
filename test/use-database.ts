import { afterAll, beforeAll } from 'bun:test';
import pino from 'pino';
import { migrate } from '../shared/adapters/database/migrate.ts';
import { openDatabase } from '../shared/adapters/database/postgres.ts';
import type { Database } from '../shared/items/sql.ts';
import type { Logger } from '../shared/logger.ts';
import { MIGRATIONS } from '../shared/wiring/migrations.ts';
import { createDatabase, createMigratedDatabase, type OwnDatabase } from './migrated-database.ts';
import { START_LIMIT_MS, useServers } from './servers.ts';

const silent = pino({ level: 'silent' });

export interface UsedDatabase {
  /** Can be read from the first test on. */
  readonly sql: Database;
  readonly url: string;
}

export interface UseDatabaseOptions {
  connections?: number;
  /** Long when not said: on a busy machine a test's own statements, of thousands of rows, take seconds. */
  statementTimeoutMs?: number;
  /** Options of its creation, as SQL. */
  creation?: string;
  log?: Logger;
  /** The newest migration that it has; all when not said. */
  upTo?: number;
  /** Done once it is migrated, before the tests. */
  prepare?(sql: Database): Promise<void>;
}

/** A migrated database for the tests of a file, called at its top; dropped after the last of them. */
export function useDatabase(options: UseDatabaseOptions = {}): UsedDatabase {
  const { connections = 4, statementTimeoutMs = 30_000, creation = '', log = silent, upTo } = options;
  let own: OwnDatabase | undefined;
  let sql: Database | undefined;
  // Before the server's own end, which is registered next.
  afterAll(async () => {
    await sql?.end({ timeout: 1 });
    await own?.drop();
  }, START_LIMIT_MS);
  const setting = useServers('PG_URL');
  beforeAll(async () => {
    if (upTo === undefined && creation === '') own = await createMigratedDatabase(setting('PG_URL'));
    else {
      own = await createDatabase(setting('PG_URL'), creation);
      await migrate(own.url, { directory: MIGRATIONS, log, ...(upTo === undefined ? {} : { upTo }) });
    }
    sql = openDatabase(own.url, { log, maxConnections: connections, statementTimeoutMs });
    await options.prepare?.(sql);
  }, START_LIMIT_MS);
  return {
    get sql() {
      if (sql === undefined) throw new Error('the database is there from the first test on');
      return sql;
    },
    get url() {
      return own?.url ?? '';
    },
  };
}
