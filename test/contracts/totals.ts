import { nanoid } from 'nanoid';
import type { AnalyticsDependencies } from '../../services/analytics/dependencies.ts';
import { sumTotals } from '../../services/analytics/repository/totals.ts';
import { foldTotals } from '../../services/analytics/sweep/totals-passes.ts';
import type { KindTotals } from '../../shared/contracts/stats.ts';
import { newShortCode } from '../../shared/ids.ts';
import type { ItemRef, Kind } from '../../shared/items/item.ts';
import type { Database } from '../../shared/items/sql.ts';

interface NewItem {
  kind?: Kind;
  namespace?: string;
  passwordHash?: string;
  tags?: string[];
  sizeBytes?: number;
  createdAt?: number;
}

/** Puts an item of a kind into its table, without its content. */
export async function insertRow(sql: Database, item: NewItem = {}): Promise<ItemRef & { code: string }> {
  const { kind = 'html', namespace = 'public', passwordHash = null, sizeBytes = 100 } = item;
  const { createdAt = Date.now(), tags = [] } = item;
  const [id, code] = [nanoid(), newShortCode()];
  await sql`
    insert into items
      (namespace, id, kind, code, owner_hash, password_hash, title, tags, ttl_days, size_bytes, content, created_at,
       updated_at, expires_at)
    values
      (${namespace}, ${id}, ${kind}, ${code}, 'owner', ${passwordHash}, '', ${tags}, 1, ${sizeBytes}, '{}',
       ${createdAt}, ${createdAt}, ${Date.now() + 86_400_000})`;
  return { namespace, id, code };
}

/** Starts counting anew. */
export async function clearTotals(sql: Database): Promise<void> {
  await sql`delete from items`;
  await sql`truncate item_deltas, item_totals, item_history`;
}

const NOTHING: Omit<KindTotals, 'kind' | 'public'> = {
  created: 0,
  createdToday: 0,
  deleted: 0,
  deletedToday: 0,
  views: 0,
  viewsToday: 0,
  bytes: 0,
};

/** The totals of a kind, listed and other items together; today began at `todayFrom`. */
export async function totalsOf(sql: Database, kind: Kind, todayFrom = 0): Promise<typeof NOTHING> {
  const found = (await sumTotals(sql, todayFrom)).filter((one) => one.kind === kind);
  const sum = { ...NOTHING };
  for (const one of found) {
    for (const name of Object.keys(NOTHING) as Array<keyof typeof NOTHING>) sum[name] += one[name];
  }
  return sum;
}

/** Folds until nothing is left. */
export async function foldAll(deps: Pick<AnalyticsDependencies, 'sql' | 'clock'>): Promise<number> {
  let folded = 0;
  for (let more = true; more; ) {
    const batch = await foldTotals(deps);
    folded += batch.done;
    more = batch.more;
  }
  return folded;
}
