import type { Query } from './sql.ts';

/** Content that is to be looked through. */
interface Unscanned {
  /** The item's short code. */
  code: string;
  /** The client that sent it, as clients take turns; absent: the operator. */
  client: string | undefined;
}

/**
 * Puts an item's content into the scan queue, before all items that are there for a rescan; a rescan that had queued the
 * item does not count it any more. Clients take turns (start-time fair queueing): the first item of a client gets the
 * current turn, and each further one the turn after the one before it, so that a client that sends much does not delay the
 * others.
 */
export async function queueScan(sql: Query, { code, client = '' }: Unscanned, now: number): Promise<void> {
  await sql`
    with of_rescan as (
      select run_id from scan_queue where code = ${code} and run_id is not null for update
    ), left_to_others as (
      update scan_runs set queued = queued - 1 from of_rescan where id = of_rescan.run_id
    )
    insert into scan_queue (code, due_at, queued_at, client, turn)
    select ${code}, ${now}, ${now}, ${client}, greatest(
      (select min(turn) from scan_queue where run_id is null),
      (select max(turn) + 1 from scan_queue where run_id is null and client = ${client}), 0)
    -- Counted, so that PostgreSQL reads and locks the row above before this statement changes it.
    from (select count(*) from of_rescan) as locked
    on conflict (code) do update set
      due_at = least(scan_queue.due_at, excluded.due_at), tries = 0, run_id = null,
      queued_at = case when scan_queue.run_id is null then scan_queue.queued_at else excluded.queued_at end,
      client = case when scan_queue.run_id is null then scan_queue.client else excluded.client end,
      turn = case when scan_queue.run_id is null then scan_queue.turn else excluded.turn end`;
}
