import { afterAll, beforeAll } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { createChangeWriter } from '../../services/kv/change-writer.ts';
import type { KvDependencies } from '../../services/kv/dependencies.ts';
import { putEntry as put } from '../../services/kv/operations/put-entry.ts';
import { removeEntry as remove } from '../../services/kv/operations/remove-entry.ts';
import { createKv } from '../../services/kv/operations/stores.ts';
import { createValueWriter } from '../../services/kv/value-writer.ts';
import { createMemoryCache } from '../../shared/adapters/cache/memory.ts';
import { errors } from '../../shared/errors.ts';
import { createDatabaseClock } from '../../shared/items/database-clock.ts';
import type { Entry } from '../../shared/items/entry.ts';
import { createBusyKeys } from '../../shared/items/group-commit.ts';
import type { ItemRef } from '../../shared/items/item.ts';
import { createItemTurns } from '../../shared/items/item-turns.ts';
import { soon } from '../call-context.ts';
import { temporaryFolder } from '../servers.ts';
import { useDatabase } from '../use-database.ts';

export const OWNER = 'owner-hash';
const DAY_MS = 86_400_000;

type CreateInput = Parameters<typeof createKv>[1];
export type PutInput = Parameters<typeof put>[1];

/** The operation, for tests that wait as long as it takes. */
export const putEntry = (deps: KvDependencies, input: PutInput) => put(deps, input, soon());

export const removeEntry = (deps: KvDependencies, input: Parameters<typeof remove>[1]) =>
  remove(deps, input, soon());

/** A deadline that never comes. */
export const FAR = Number.POSITIVE_INFINITY;

export interface KvOperations {
  deps: KvDependencies;
  /** The clock the operations read: it stands still until a test moves it. */
  time: { now: number };
  /** How often the cache missed a change. */
  missed: { count: number };
  /** The input of a create of a store. */
  createInput(changes?: Partial<CreateInput>): CreateInput;
  /** A new store with the key `first`. */
  store(changes?: Partial<CreateInput>): Promise<ItemRef & { code: string; expiresAt: number }>;
  /** The keys of a store as the database has them, with their sequences. */
  stored(store: ItemRef): Promise<Array<Pick<Entry, 'key' | 'value' | 'sequence' | 'version'>>>;
}

/** The input of an unconditional put of text. */
export function putInput(
  store: ItemRef,
  key: string,
  text: string,
  changes: Partial<PutInput> = {},
): PutInput {
  const { namespace, id } = store;
  const value = { value: JSON.stringify(text), sizeBytes: Buffer.byteLength(text) };
  return {
    namespace,
    id,
    ownerHash: OWNER,
    key,
    ifMatch: null,
    ifAbsent: false,
    ...value,
    ...changes,
  };
}

/**
 * The operations of `kv` on a database and a cache of the test file's own, without bus and sweeper: called at the top
 * of a file; what it returns works from `beforeAll` on.
 */
export function useKvOperations(connections = 16): KvOperations {
  const log = pino({ level: 'silent' });
  const time = { now: Date.now() };
  const clock = { now: () => time.now };
  const missed = { count: 0 };
  const opened: Partial<Pick<KvDependencies, 'values' | 'changes' | 'databaseClock' | 'cache'>> & {
    folder?: string;
  } = {};
  const database = useDatabase({ connections });
  beforeAll(async () => {
    const { sql } = database;
    const databaseClock = createDatabaseClock(sql);
    opened.databaseClock = databaseClock;
    const busy = createBusyKeys();
    opened.values = createValueWriter({ sql, clock, databaseClock }, busy);
    opened.changes = createChangeWriter(deps, busy);
    opened.folder = await temporaryFolder();
    opened.cache = await createMemoryCache({ clock, log, snapshotFile: join(opened.folder, 'views.json') });
  });
  afterAll(async () => {
    await opened.cache?.close();
    if (opened.folder !== undefined) await rm(opened.folder, { recursive: true, force: true });
  });

  const deps: KvDependencies = {
    turns: createItemTurns(() => errors.refused('changes')),
    clock,
    log,
    ttlDayMs: DAY_MS,
    blobGraceMs: DAY_MS,
    bus: { publish: () => undefined },
    publishKeyChange: () => undefined,
    newItems: null,
    check: null,
    get sql() {
      return database.sql;
    },
    get cache() {
      return started(opened.cache);
    },
    get values() {
      return started(opened.values);
    },
    get changes() {
      return started(opened.changes);
    },
    get databaseClock() {
      return started(opened.databaseClock);
    },
    announcementMissed: () => {
      missed.count += 1;
    },
  };
  const createInput: KvOperations['createInput'] = (changes = {}) => ({
    namespace: 'public',
    id: null,
    ownerHash: OWNER,
    passwordHash: null,
    tags: [],
    ttlDays: 1,
    title: null,
    entry: { key: 'first', value: '"one"', sizeBytes: 3 },
    idempotency: { key: crypto.randomUUID(), fingerprint: 'a store' },
    ...changes,
  });
  return {
    deps,
    time,
    missed,
    createInput,
    async store(changes) {
      const { item } = await createKv(deps, createInput(changes), soon());
      return item;
    },
    async stored({ namespace, id }) {
      const rows = await deps.sql<Array<Pick<Entry, 'key' | 'value' | 'sequence' | 'version'>>>`
        select key, value, sequence, version from kv_entries
        where namespace = ${namespace} and id = ${id} order by key collate "C"`;
      return [...rows];
    },
  };
}

function started<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('not before beforeAll');
  return part;
}
