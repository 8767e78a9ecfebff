import type { ScanRun } from '../../../shared/contracts/scans.ts';
import { type AnyItem, itemColumns } from '../../../shared/items/item-repository.ts';
import type { Finding } from '../../../shared/items/quarantine.ts';
import type { Query } from '../../../shared/items/sql.ts';
import type { ScanFigures } from '../../../shared/scanning/scan-metrics.ts';

/** An item that is to be looked through. */
export interface QueuedScan {
  code: string;
  /** `null`: its content is new. */
  runId: number | null;
  /** The client that sent it; empty: nobody, or the operator. */
  client: string;
  /** Times that somebody has begun with it, this one included. */
  tries: number;
}

/**
 * Takes an item that is due, and leaves it to no one else until a moment: new content first, of which clients take turns, then
 * what a rescan has queued; `null`: nothing is due.
 * @param busy clients that others are working for: they come after the rest of the new content
 */
export async function takeQueuedScan(
  sql: Query,
  { now, until, busy = [] }: { now: number; until: number; busy?: readonly string[] },
): Promise<QueuedScan | null> {
  const [taken] = await sql<QueuedScan[]>`
    with fresh as (
      select code from scan_queue where run_id is null and due_at <= ${now} and client <> all(${busy}::text[])
      order by turn, due_at, code limit 1 for update skip locked
    ), of_busy as (
      select code from scan_queue where run_id is null and due_at <= ${now} and client = any(${busy}::text[])
      order by turn, due_at, code limit (select 1 - count(*) from fresh) for update skip locked
    ), again as (
      select code from scan_queue where run_id is not null and due_at <= ${now}
      order by due_at, code limit (select 1 - count(*) from (table fresh union all table of_busy) as new)
      for update skip locked
    )
    update scan_queue set due_at = ${until}, tries = tries + 1
    where code in (table fresh union all table of_busy union all table again)
    returning code, run_id, client, tries`;
  return taken ?? null;
}

/** Leaves an item to the process that took it for longer; not, if another one has taken it since. */
export async function renewLease(
  sql: Query,
  { code, tries }: Pick<QueuedScan, 'code' | 'tries'>,
  until: number,
): Promise<void> {
  await sql`update scan_queue set due_at = ${until} where code = ${code} and tries = ${tries}`;
}

/** Takes a try back that is under way, unless another process has taken the item since. The item stays leased. */
export async function giveTryBack(
  sql: Query,
  { code, tries }: Pick<QueuedScan, 'code' | 'tries'>,
): Promise<void> {
  await sql`update scan_queue set tries = tries - 1 where code = ${code} and tries = ${tries} and tries > 0`;
}

/** Puts an item off that could not be looked through now, which was no try of `MAX_TRIES`. */
export async function postponeScan(sql: Query, code: string, until: number): Promise<void> {
  await sql`update scan_queue set due_at = ${until}, tries = greatest(tries - 1, 0) where code = ${code}`;
}

/** Puts an item off whose try counts, behind the next of each other client and all of its own. */
export async function postponeTry(sql: Query, code: string, until: number): Promise<void> {
  await sql`
    update scan_queue as late set due_at = ${until}, turn = greatest(turn,
      (select min(turn) + 1 from scan_queue where run_id is null and code <> late.code),
      (select max(turn) + 1 from scan_queue where run_id is null and client = late.client and code <> late.code))
    where code = ${code}`;
}

/** The unexpired item with a code; `lock`: nobody changes it until the transaction ends. */
export async function findScanned(
  sql: Query,
  code: string,
  now: number,
  lock = false,
): Promise<AnyItem | null> {
  const [found] = await sql<AnyItem[]>`
    select ${itemColumns(sql)} from items where code = ${code} and expires_at > ${now}
    ${lock ? sql`for update` : sql``}`;
  return found ?? null;
}

/** Takes an item out of the queue, and counts it for its rescan; once, whoever comes to it twice. */
export async function finishScan(sql: Query, code: string, found: boolean): Promise<void> {
  await sql`
    with done as (delete from scan_queue where code = ${code} returning run_id)
    update scan_runs set scanned = scanned + 1, found = found + ${found ? 1 : 0}
    from done where id = done.run_id`;
}

const runColumns = (sql: Query) =>
  sql`id as run_id, started_at, started_by, scanner, queued, scanned, found, finished_at`;

export async function listRuns(sql: Query, limit: number): Promise<ScanRun[]> {
  return await sql<ScanRun[]>`select ${runColumns(sql)} from scan_runs order by id desc limit ${limit}`;
}

/** Every process has looked at the blocklist of links anew by then, in ms. */
const FIRST_AFTER_MS = 1_100;

/** Starts a rescan; `null`: one goes on, or another one was started after the moment `noneSince`. */
export async function insertRun(
  sql: Query,
  {
    startedBy,
    scanner,
    now,
    noneSince = null,
  }: { startedBy: ScanRun['startedBy']; scanner: string; now: number; noneSince?: number | null },
): Promise<ScanRun | null> {
  const [run] = await sql<ScanRun[]>`
    insert into scan_runs (started_at, started_by, scanner, next_due_at)
    select ${now}::timestamptz, ${startedBy}::text, ${scanner}::text, ${now + FIRST_AFTER_MS}::timestamptz
    where not exists (select from scan_runs where started_at > ${noneSince}::timestamptz)
    on conflict ((finished_at is null)) where finished_at is null do nothing returning ${runColumns(sql)}`;
  return run ?? null;
}

/** A rescan that goes on, for the one process that has locked it. */
export interface LockedRun {
  runId: number;
  afterNamespace: string | null;
  afterId: string | null;
  nextDueAt: number;
}

export async function lockRun(sql: Query): Promise<LockedRun | null> {
  const [run] = await sql<LockedRun[]>`
    select id as run_id, after_namespace, after_id, next_due_at from scan_runs
    where finished_at is null for update skip locked`;
  return run ?? null;
}

/**
 * Queues the next items of a rescan, each `everyMs` after the one before, and says how many. An item that waits for its
 * first scan is looked through anyway.
 */
export async function queueNext(
  sql: Query,
  { runId, afterNamespace, afterId, nextDueAt }: LockedRun,
  { now, limit, everyMs }: { now: number; limit: number; everyMs: number },
): Promise<number> {
  const from = Math.max(now, nextDueAt);
  const [queued] = await sql<Array<{ count: number }>>`
    with next as (
      select namespace, id, code, row_number() over (order by namespace, id) as place from items
      where (namespace, id) > (${afterNamespace}, ${afterId}) and kind <> 'kv' and expires_at > ${now}
      order by namespace, id limit ${limit}
    ), added as (
      insert into scan_queue (code, run_id, due_at)
      select code, ${runId}, ${from}::timestamptz + place * ${everyMs} * interval '1 millisecond' from next
      on conflict (code) do nothing returning code
    ), last as (
      select namespace, id from next order by place desc limit 1
    )
    update scan_runs set queued = queued + (select count(*) from added),
      after_namespace = (select namespace from last), after_id = (select id from last),
      next_due_at = ${from}::timestamptz + (select count(*) from next) * ${everyMs} * interval '1 millisecond'
    where scan_runs.id = ${runId} returning (select count(*) from next) as count`;
  return queued?.count ?? 0;
}

/** Items of a rescan that are still in the queue, up to a bound. */
export async function countQueued(sql: Query, runId: number, bound: number): Promise<number> {
  const [found] = await sql<Array<{ count: number }>>`
    select count(*) as count from (select from scan_queue where run_id = ${runId} limit ${bound}) as counted`;
  return found?.count ?? 0;
}

export async function finishRun(sql: Query, runId: number, now: number): Promise<void> {
  await sql`update scan_runs set finished_at = ${now} where id = ${runId}`;
}

/** When the latest rescan began; `null`: there was none. */
export async function lastRunStart(sql: Query): Promise<number | null> {
  const [run] = await sql<Array<{ startedAt: number }>>`
    select started_at from scan_runs order by id desc limit 1`;
  return run?.startedAt ?? null;
}

/** Forgets which findings were let pass in items that are gone. */
export async function forgetReleases(sql: Query, limit: number): Promise<void> {
  await sql`
    delete from scan_releases where (code, blob_key, verdict) in (
      select code, blob_key, verdict from scan_releases as kept
      where not exists (select from items where items.code = kept.code) limit ${limit}
    )`;
}

/** One content of an item: no blob key is used twice. */
interface ExaminedContent {
  code: string;
  blobKey: string;
}

/** A finding as releases name it: of a site with its file, as nobody has looked at the others. */
const releasedOf = ({ verdict, part }: Pick<Finding, 'verdict' | 'part'>): string =>
  part === null ? verdict : `${verdict}\n${part}`;

export async function rememberRelease(
  sql: Query,
  { code, blobKey }: ExaminedContent,
  finding: Finding,
  now: number,
): Promise<void> {
  await sql`
    insert into scan_releases (code, blob_key, verdict, released_at)
    values (${code}, ${blobKey}, ${releasedOf(finding)}, ${now})
    on conflict (code, blob_key, verdict) do nothing`;
}

/** Tells of findings in a content whether the operator has released them, as it is now. */
export async function findReleases(
  sql: Query,
  { code, blobKey }: ExaminedContent,
): Promise<(finding: Finding) => boolean> {
  const rows = await sql<Array<{ verdict: string }>>`
    select verdict from scan_releases where code = ${code} and blob_key = ${blobKey}`;
  const released = new Set(rows.map(({ verdict }) => verdict));
  return (finding) => released.has(releasedOf(finding));
}

/** Work that waits is counted up to this many. */
const COUNTED = 100_000;

export async function countScans(sql: Query, now: number): Promise<ScanFigures> {
  const [found] = await sql<Array<Omit<ScanFigures, 'oldestSeconds'> & { oldestAt: number | null }>>`
    select
      (select count(*) from (select from scan_queue where run_id is null limit ${COUNTED}) as counted) as waiting,
      (select min(queued_at) from scan_queue where run_id is null) as oldest_at,
      (select count(*) from (select from scan_queue where run_id is not null limit ${COUNTED}) as counted) as rescan,
      (select count(*) from (
        select from items where quarantine is not null and expires_at > ${now} limit ${COUNTED}
      ) as counted) as quarantined`;
  if (found === undefined) throw new Error('a count returned no row');
  const { waiting, rescan, quarantined, oldestAt } = found;
  const oldestSeconds = oldestAt === null ? 0 : Math.max(0, now - oldestAt) / 1000;
  return { waiting, rescan, quarantined, oldestSeconds };
}
