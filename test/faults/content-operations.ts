import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { startPostgres } from '../../infra/servers/postgres.ts';
import type { ContentDependencies } from '../../services/content/dependencies.ts';
import { reserveBlobs, trashBlobs } from '../../services/content/operations/blobs.ts';
import type { createHtml } from '../../services/content/operations/html.ts';
import { removeHtml as remove } from '../../services/content/operations/remove-items.ts';
import { createRenderer } from '../../services/content/render/renderer.ts';
import { storeBlob } from '../../services/gateway/uploads/store-blob.ts';
import { createDiskBlobStore } from '../../shared/adapters/blob/disk/store.ts';
import { createMemoryCache } from '../../shared/adapters/cache/memory.ts';
import { openDatabase } from '../../shared/adapters/database/postgres.ts';
import { errors } from '../../shared/errors.ts';
import { createBlobKeyPool } from '../../shared/items/blob-key-pool.ts';
import { createDatabaseClock } from '../../shared/items/database-clock.ts';
import type { ItemRef } from '../../shared/items/item.ts';
import { createItemTurns } from '../../shared/items/item-turns.ts';
import { createNewItemWriter } from '../../shared/items/new-item-writer.ts';
import { soon } from '../call-context.ts';
import { createMigratedDatabase } from '../migrated-database.ts';
import { startOwn } from '../servers.ts';

/** Removes a page for its owner, as a gateway that names no condition asks for it. */
export const removeHtml = (
  deps: ContentDependencies,
  { namespace, id, ownerHash }: ItemRef & { ownerHash: string },
) => remove(deps, { namespace, id, ownerHash }, soon());

/** The dependencies of a process whose announcements the cache does not get. */
export const withCacheAway = <D extends Pick<ContentDependencies, 'cache'>>(deps: D): D => ({
  ...deps,
  cache: { ...deps.cache, putRecord: () => Promise.reject(errors.unavailable('cache')) },
});

export type CreateInput = Parameters<typeof createHtml>[1];

export interface ContentOperations {
  deps: ContentDependencies;
  /** The clock the operations read: it stands still until a test moves it. */
  time: { now: number };
  /** Stores content as the gateway does. */
  store(content: string): Promise<CreateInput['blob']>;
  /** The input of a create of a public HTML page. */
  createInput(content: string, changes?: Partial<CreateInput>): Promise<CreateInput>;
  /** Blobs that no page has and that no row promises to delete, and blobs of pages that are not there. */
  audit(): Promise<{ forgotten: string[]; missing: string[] }>;
  end(): Promise<void>;
}

/** Longer than a statement, even one that waits for a lock, or a rendering takes on a busy machine. */
const LIMIT_MS = 60_000;
/** Length of a reservation of blobs, in ms. */
export const GRACE_MS = 900_000;
const DAY_MS = 86_400_000;

/** The operations of `content` on a PostgreSQL of the test's own, without bus and sweeper: the test decides what runs when. */
export async function startContentOperations(): Promise<ContentOperations> {
  const log = pino({ level: 'silent' });
  const dir = await mkdtemp(join(tmpdir(), 'perch-operations-'));
  const server = await startOwn(startPostgres);
  const { url } = await createMigratedDatabase(server.url);
  const sql = openDatabase(url, { log, maxConnections: 8, statementTimeoutMs: LIMIT_MS });
  const time = { now: Date.now() };
  const clock = { now: () => time.now };
  const blobs = await createDiskBlobStore({ dir, log });
  const cache = await createMemoryCache({ clock, log, snapshotFile: join(dir, 'views.json') });
  const renderer = createRenderer({
    deadlineMs: LIMIT_MS,
    denseDeadlineMs: LIMIT_MS,
    workers: 1,
    idleMs: 5_000,
    log,
    refuse: () => errors.refused('renderings'),
  });
  const blobKeys = createBlobKeyPool(
    {
      reserve: (count) => reserveBlobs({ sql, clock, blobGraceMs: GRACE_MS }, { count }),
      trash: (keys) => trashBlobs({ sql, clock, blobGraceMs: GRACE_MS }, { keys }),
    },
    clock,
    GRACE_MS,
    () => 0,
  );
  const deps: ContentDependencies = {
    sql,
    turns: createItemTurns(() => errors.refused('changes')),
    blobs,
    cache,
    clock,
    log,
    renderer,
    blobKeys,
    bus: { publish: () => undefined },
    outbox: { tell: async () => undefined },
    announcementMissed: () => undefined,
    newItems: createNewItemWriter({ sql, clock, databaseClock: createDatabaseClock(sql) }),
    check: null,
    ttlDayMs: DAY_MS,
    blobGraceMs: GRACE_MS,
  };
  const store = (content: string) => storeBlob(deps, new TextEncoder().encode(content));
  return {
    deps,
    time,
    store,
    async createInput(content, changes = {}) {
      return {
        namespace: 'public',
        id: null,
        ownerHash: 'owner',
        ownerKnown: false,
        passwordHash: null,
        tags: [],
        ttlDays: 1,
        format: 'HTML',
        language: null,
        contentType: 'text/html',
        title: null,
        filename: null,
        suggestedTitle: null,
        showTopBar: null,
        blob: await store(content),
        idempotency: { key: crypto.randomUUID(), fingerprint: content },
        ...changes,
      };
    },
    async audit() {
      const referred = await sql<Array<{ key: string }>>`
        select value as key from items, jsonb_each_text(content)
        where key in ('blobKey', 'viewKey', 'indexKey') and value is not null
        union all select blob_key from item_pictures where blob_key is not null`;
      const known = await sql<Array<{ key: string }>>`select key from blob_trash`;
      const stored = await Array.fromAsync(blobs.list());
      const kept = new Set([...referred, ...known].map(({ key }) => key));
      return {
        forgotten: stored.filter((key) => !kept.has(key)),
        missing: referred.map(({ key }) => key).filter((key) => !stored.includes(key)),
      };
    },
    async end() {
      await renderer.close();
      await cache.close();
      await sql.end({ timeout: 1 });
      await server.end();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
