import { afterAll, beforeAll } from 'bun:test';
import { randomBytes } from 'node:crypto';
import pino from 'pino';
import { migrate } from '../../shared/adapters/database/migrate.ts';
import { openDatabase } from '../../shared/adapters/database/postgres.ts';
import type { Kind } from '../../shared/items/item.ts';
import type { Database } from '../../shared/items/sql.ts';
import { createLoadShedding, type LoadShedding } from '../../shared/load-shedding.ts';
import { MIGRATIONS } from '../../shared/wiring/distributed.ts';
import { START_LIMIT_MS, useServers } from '../servers.ts';

const log = pino({ level: 'silent' });
const open = (url: string): Database =>
  openDatabase(url, { log, maxConnections: 4, statementTimeoutMs: 5_000 });

export const DAY_MS = 86_400_000;

const UNSAID = {
  namespace: 'public',
  kind: 'html',
  passwordHash: null,
  title: '',
  tags: [] as string[],
  views: 0,
};

/** An item as a test wants it; what it does not say makes a listed page that was just created. */
export interface Row {
  id: string;
  namespace?: string;
  kind?: Kind;
  passwordHash?: string | null;
  title?: string;
  tags?: string[];
  views?: number;
  createdAt?: number;
  expiresAt?: number;
}

export interface GalleryDatabase {
  readonly sql: Database;
  readonly loadShedding: LoadShedding;
  /** The moment that the items are created at. */
  readonly now: number;
  /** Puts items in, and returns a function that takes them out: `using` does so at the end of a test. */
  put(...rows: Row[]): Promise<AsyncDisposable>;
}

/** A database with items for the tests of a file, called at its top. `options` go into its creation. */
export function useGalleryDatabase(options = ''): GalleryDatabase {
  const name = `perch_gallery_${randomBytes(6).toString('hex')}`;
  const now = Date.now();
  let admin: Database;
  let sql: Database;

  // Before the server's own end, which is registered next.
  afterAll(async () => {
    await sql.end({ timeout: 1 });
    await admin.unsafe(`drop database ${name} with (force)`);
    await admin.end({ timeout: 1 });
  });
  const setting = useServers('PG_URL');
  beforeAll(async () => {
    admin = open(setting('PG_URL'));
    await admin.unsafe(`create database ${name} ${options}`);
    const own = new URL(setting('PG_URL'));
    own.pathname = `/${name}`;
    await migrate(own.href, { directory: MIGRATIONS, log });
    sql = open(own.href);
  }, START_LIMIT_MS);

  return {
    get sql() {
      return sql;
    },
    loadShedding: createLoadShedding(log),
    now,
    async put(...rows) {
      for (const row of rows) {
        const item = { ...UNSAID, createdAt: now, expiresAt: now + DAY_MS, ...row };
        await sql`
          insert into items (namespace, id, kind, code, owner_hash, password_hash, title, tags, ttl_days, size_bytes,
                             content, views, created_at, updated_at, expires_at)
          values (${item.namespace}, ${item.id}, ${item.kind}, ${`${item.namespace} ${item.id}`}, 'owner',
                  ${item.passwordHash}, ${item.title}, ${item.tags}, 1, 2, '{}', ${item.views}, ${item.createdAt},
                  ${item.createdAt}, ${item.expiresAt})`;
      }
      const ids = rows.map(({ id }) => id);
      return {
        async [Symbol.asyncDispose]() {
          await sql`delete from items where id = any(${ids})`;
        },
      };
    },
  };
}
