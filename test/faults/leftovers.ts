import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Instance } from '../instance.ts';
import { auditBlobs, withDatabase } from './blob-audit.ts';
import { uploadedFiles } from './upload-folder.ts';

/** All that an instance keeps, in every store. Each list names what is there. */
export interface Leftovers {
  /** Rows by table, of the tables that have any. */
  rows: Record<string, number>;
  /** Tombstones of other namespaces than `public`. */
  privateTombstones: number;
  blobs: string[];
  /** Keys of Redis, or in embedded mode of the file of view counters, each with what there is to say of it. */
  counters: string[];
  records: string[];
  windows: string[];
  /** Keys of none of these forms. */
  otherKeys: string[];
  /** Temporary files of uploads and of the blob store. */
  temporaryFiles: string[];
}

/**
 * Tables about the service itself: the schema's version, how far background passes have come, what it has done, and which
 * processes run.
 */
const OWN_TABLES = new Set([
  'schema_migrations',
  'watermarks',
  'item_deltas',
  'item_totals',
  'item_history',
  'processes',
  'notifications',
  'scan_runs',
]);
const isOwn = (table: string): boolean => OWN_TABLES.has(table) || table.startsWith('access_');

export async function findLeftovers(perch: Instance): Promise<Leftovers> {
  const { orphans, missing } = await auditBlobs(perch);
  const incoming = perch.mode === 'embedded' ? await filesIn(join(perch.dir, 'content', 'incoming')) : [];
  return {
    ...(await inDatabase(perch)),
    blobs: [...orphans, ...missing],
    ...(perch.mode === 'embedded' ? await inCounterFile(perch) : await inRedis(perch)),
    temporaryFiles: [...(await uploadedFiles(perch)), ...incoming],
  };
}

/**
 * Makes what is left of removals older than it is: outside of `public` they are forgotten some minutes later only, so that
 * no cache misses them.
 */
export async function ageTombstones(perch: Instance): Promise<void> {
  await withDatabase(perch, async (sql) => {
    await sql`update tombstones set removed_at = removed_at - interval '1 hour'`;
  });
}

async function inDatabase(perch: Instance): Promise<Pick<Leftovers, 'rows' | 'privateTombstones'>> {
  return await withDatabase(perch, async (sql) => {
    const tables = await sql<Array<{ name: string }>>`
      select table_name as name from information_schema.tables where table_schema = 'public'`;
    const rows: Record<string, number> = {};
    for (const { name } of tables.filter((table) => !isOwn(table.name))) {
      const [found] = await sql<Array<{ count: number }>>`select count(*)::int as count from ${sql(name)}`;
      if (found !== undefined && found.count > 0) rows[name] = found.count;
    }
    const [tombstones] = await sql<Array<{ count: number }>>`
      select count(*)::int as count from tombstones where namespace <> 'public'`;
    return { rows, privateTombstones: tombstones?.count ?? 0 };
  });
}

type Cached = Pick<Leftovers, 'counters' | 'records' | 'windows' | 'otherKeys'>;

async function inCounterFile({ dir }: Instance): Promise<Cached> {
  const file = Bun.file(join(dir, 'views.json'));
  const saved = (await file.exists()) ? ((await file.json()) as Array<[string, unknown]>) : [];
  return { counters: saved.map(([item]) => item), records: [], windows: [], otherKeys: [] };
}

async function inRedis({ env }: Instance): Promise<Cached> {
  const redis = new Bun.RedisClient(env.REDIS_URL ?? '');
  try {
    const found: Cached = { counters: [], records: [], windows: [], otherKeys: [] };
    const keys = (await redis.send('KEYS', ['*'])) as string[];
    for (const key of keys.toSorted()) {
      // The cache's notes about its own age stay.
      if (key.startsWith('{state}:')) continue;
      const left = Number(await redis.send('PTTL', [key]));
      // The key ended between two commands.
      if (left === -2) continue;
      const name = left < 0 ? `${key} without an end` : key;
      if (key.startsWith('record:')) found.records.push(`${name} ${(await redis.get(key))?.[0]}`);
      else if (key.startsWith('views:')) found.counters.push(`${name} ${await redis.get(key)}`);
      else if (key.startsWith('window:')) found.windows.push(name);
      else found.otherKeys.push(name);
    }
    return found;
  } finally {
    redis.close();
  }
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}
