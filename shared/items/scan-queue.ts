import type { Query } from './sql.ts';

/** Content that is to be looked through. */
interface Unscanned {
  /** The item's short code. */
  code: string;
  /** The client that sent it, as clients take turns; absent: the operator. */
  client: string | undefined;
}

/**
 * Puts an item's content into the queue of those to be looked through, before all that are there for a rescan. Each item of a
 * client has the turn after the one before it, and the first the turn that it is (start-time fair queueing): whoever
 * sends much waits for others, not they for him.
 */
export async function queueScan(sql: Query, { code, client = '' }: Unscanned, now: number): Promise<void> {
  await sql`
    insert into scan_queue (code, due_at, client, turn)
    values (${code}, ${now}, ${client}, greatest(
      (select min(turn) from scan_queue where run_id is null),
      (select max(turn) + 1 from scan_queue where run_id is null and client = ${client}), 0))
    on conflict (code) do update set due_at = least(scan_queue.due_at, excluded.due_at), tries = 0`;
}
