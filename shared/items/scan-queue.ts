import type { Query } from './sql.ts';

/** Puts an item's content into the queue of those to be looked through, before all that are there for a rescan. */
export async function queueScan(sql: Query, code: string, now: number): Promise<void> {
  await sql`
    insert into scan_queue (code, due_at) values (${code}, ${now})
    on conflict (code) do update set due_at = least(scan_queue.due_at, excluded.due_at), tries = 0`;
}
