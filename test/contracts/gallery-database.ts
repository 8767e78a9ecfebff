import pino from 'pino';
import type { Kind } from '../../shared/items/item.ts';
import type { Database } from '../../shared/items/sql.ts';
import { createLoadShedding, type LoadShedding } from '../../shared/load-shedding.ts';
import { useDatabase } from '../use-database.ts';

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
  const database = useDatabase({ creation: options });
  const now = Date.now();

  return {
    get sql() {
      return database.sql;
    },
    loadShedding: createLoadShedding(pino({ level: 'silent' })),
    now,
    async put(...rows) {
      for (const row of rows) {
        const item = { ...UNSAID, createdAt: now, expiresAt: now + DAY_MS, ...row };
        await database.sql`
          insert into items (namespace, id, kind, code, owner_hash, password_hash, title, tags, ttl_days, size_bytes,
                             content, views, created_at, updated_at, expires_at)
          values (${item.namespace}, ${item.id}, ${item.kind}, ${`${item.namespace} ${item.id}`}, 'owner',
                  ${item.passwordHash}, ${item.title}, ${item.tags}, 1, 2, '{}', ${item.views}, ${item.createdAt},
                  ${item.createdAt}, ${item.expiresAt})`;
      }
      const ids = rows.map(({ id }) => id);
      return {
        async [Symbol.asyncDispose]() {
          await database.sql`delete from items where id = any(${ids})`;
        },
      };
    },
  };
}
