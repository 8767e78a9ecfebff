import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { bucketOf } from '../../../services/analytics/latency-buckets.ts';
import { makeDays } from '../../../services/analytics/repository/days.ts';
import { createRankingTrim } from '../../../services/analytics/sweep/trim-rankings.ts';
import { DAY_MS, dayOf } from '../../../services/analytics/utc-days.ts';
import { openDatabase } from '../../../shared/adapters/database/postgres.ts';
import type { Database } from '../../../shared/items/sql.ts';
import { METHODS, STATUSES } from '../access-events.ts';
import { foldAll, loadGalleryItems } from '../gallery-items.ts';
import { type Bench, count, seconds, timed } from '../measurement.ts';
import { pageBytes } from '../pages.ts';
import { type Perch, publish, startPerch } from '../perch.ts';

/** A Perch of its own with so many items and entries of the access log. */
export interface Stage extends Perch {
  items: number;
  logRows: number;
  /** A folder of its own. */
  dir: string;
  /** The path of a page. */
  page: string;
  /** The database, past the services. */
  sql: Database;
}

export const ADMIN_PASSWORD = 'growth-bench';

/** Items of one owner: lists of an owner are as long with many items as with few. */
const ITEMS_PER_OWNER = 100;
/** Longest statement of the loading, in ms. */
const STATEMENT_LIMIT_MS = 3_600_000;
/** Sweeps run at the start only: one is timed by itself. */
const SWEEP_INTERVAL_SECONDS = '86400';

/** Starts a Perch, which is stopped at the end of the measurement, and loads its database. */
export async function prepareStage(bench: Bench, items: number, logRows: number): Promise<Stage> {
  const dir = join(bench.dir, `of-${items}`);
  await mkdir(dir);
  // The database server runs as a user of its own and must get in.
  await chmod(dir, 0o755);
  const perch = await startPerch({ ...bench, dir }, { ADMIN_PASSWORD, SWEEP_INTERVAL_SECONDS });
  const sql = openDatabase(perch.servers.env.PG_URL ?? '', {
    log: pino({ level: 'warn' }, pino.destination({ dest: 2, sync: true })),
    maxConnections: 1,
    statementTimeoutMs: STATEMENT_LIMIT_MS,
  });
  bench.defer(() => sql.end({ timeout: 1 }));
  const step = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    bench.progress(`${what}: ${seconds(await timed(work))}`);
  };
  await step(`${count(items)} items`, () =>
    loadGalleryItems(sql, items, { owners: items / ITEMS_PER_OWNER }),
  );
  await step(`${count(logRows)} entries of the log`, () => loadLogRows(sql, logRows, Date.now()));
  // As the services and autovacuum do by themselves after a while.
  await step('totals and vacuum', async () => {
    await foldAll(sql);
    await sql`vacuum analyze`;
    await sql`checkpoint`;
  });
  const published = await publish(perch.url, pageBytes(0));
  const page = `/${published.namespace}/${published.id}`;
  return { ...perch, items, logRows, dir, page, sql };
}

const DAYS = 7;
/** A statement inserts so many. */
const SLICE = 1_000_000;

/** Latencies in ms, the more frequent ones first. */
const DURATIONS = Array.from({ length: 60 }, (_, n) => Math.round(50 * 1.13 ** n) / 100);

/** Each value as often as its share of a thousand. */
const spread = <T>(shares: ReadonlyArray<readonly [T, number]>): T[] =>
  shares.flatMap(([value, share]) => Array<T>(share).fill(value));

/**
 * Puts requests of the last seven days straight into the access log, as believable as those of `believableBatches`, and
 * counts them into the roll-ups, which then are what the service would have made of them.
 */
async function loadLogRows(sql: Database, rows: number, now: number): Promise<void> {
  const from = now - (DAYS - 1) * DAY_MS;
  const days = Array.from({ length: DAYS }, (_, n) => dayOf(from) + n * DAY_MS);
  await makeDays(sql, days);
  for (let first = 0; first < rows; first += SLICE) {
    await insertRows(sql, {
      first,
      last: Math.min(rows, first + SLICE) - 1,
      from,
      stepMs: (now - from) / rows,
    });
  }
  await countRows(sql);
  for (const day of days) {
    const trim = createRankingTrim({ sql, clock: { now: () => day } });
    while ((await trim()).more);
  }
}

interface Slice {
  first: number;
  last: number;
  from: number;
  stepMs: number;
}

/** Few addresses and items are asked for often, many seldom: the n-th about 1/n as often as the first. */
async function insertRows(sql: Database, { first, last, from, stepMs }: Slice): Promise<void> {
  const statuses = spread(STATUSES);
  const methods = spread(METHODS);
  await sql`
    insert into access_log (
      created_at, request_id, client_ip, user_agent, method, path, query, status, duration_ms, referer,
      resource_type, resource_namespace, resource_id
    )
    select at, request_id, '10.' || address % 7 || '.' || address / 250 || '.' || address % 250,
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/' || agent || '.0',
      method, '/' || namespace || '/item-' || item || case when status < 400 then '' else '-gone' end,
      case when chance < 0.1 then 'raw=1' else '' end, status, duration_ms,
      case when chance < 0.4 then 'https://site-' || site || '.example/' end,
      case when status < 400 then 'html' end, case when status < 400 then namespace end,
      case when status < 400 then 'item-' || item end
    from (
      select *, case when item % 3 = 0 then 'team-' || item % 50 else 'public' end as namespace
      from (
        select
          to_timestamp((${from}::float8 + ${stepMs}::float8 * n) / 1000) as at,
          lpad(to_hex((random() * 2147483647)::int), 16, '0') as request_id,
          floor(power(5000, random()))::int - 1 as address, floor(power(20000, random()))::int - 1 as item,
          floor(power(300, random()))::int - 1 as agent, floor(power(2000, random()))::int - 1 as site,
          (${statuses}::smallint[])[1 + floor(random() * ${statuses.length}::int)::int] as status,
          (${methods}::text[])[1 + floor(random() * ${methods.length}::int)::int] as method,
          (${DURATIONS}::float8[])[1 + floor(${DURATIONS.length}::int * power(random(), 2))::int] as duration_ms,
          random() as chance
        from generate_series(${first}::int, ${last}::int) as n
      ) as drawn
    ) as entry`;
}

async function countRows(sql: Database): Promise<void> {
  await sql`
    insert into access_hours (hour, method, status, requests)
    select date_trunc('hour', created_at), method, status, count(*) from access_log group by 1, 2, 3`;
  await sql`
    insert into access_hour_latencies (hour, bucket, requests)
    select hour, bucket, sum(requests) from (
      select date_trunc('hour', created_at) as hour, duration_ms, count(*) as requests from access_log group by 1, 2
    ) as timed
    join unnest(${DURATIONS}::float8[], ${DURATIONS.map(bucketOf)}::smallint[]) as known (duration_ms, bucket)
      using (duration_ms)
    group by 1, 2`;
  await sql`
    insert into access_day_ips (day, client_ip, requests)
    select created_at::date, client_ip, count(*) from access_log group by 1, 2`;
  await sql`
    insert into access_days (day, requests, clients)
    select day, sum(requests), count(*) from access_day_ips group by 1`;
  for (const dimension of ['path', 'user_agent', 'referer']) {
    await sql`
      insert into access_day_values (day, dimension, value, requests)
      select created_at::date, ${dimension}, ${sql(dimension)}, count(*) from access_log
      where ${sql(dimension)} is not null group by 1, 3`;
  }
}
