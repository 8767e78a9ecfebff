import type { ItemRef, Kind } from './item.ts';
import { isOwnersToSee } from './quarantine.ts';
import type { Query } from './sql.ts';

/** Where a short code leads or led. */
export interface CodeTarget extends ItemRef {
  /** `null` when nothing is there any more. */
  kind: Kind | null;
  live: boolean;
  /** Removed, expired and cleaned up, or hidden. */
  swept: boolean;
}

export async function findByCode(sql: Query, code: string, now: number): Promise<CodeTarget | null> {
  const [found] = await sql<CodeTarget[]>`
    select namespace, id, kind, expires_at > ${now} and ${isOwnersToSee(sql)} as live, hidden as swept from items where code = ${code}
    union all
    select namespace, id, null, false, true from tombstones where code = ${code}
    limit 1`;
  return found ?? null;
}
