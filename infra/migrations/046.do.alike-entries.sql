-- Entries of the log that differ in nothing but time, id, duration and client share a row (docs/decisions/0053). Its other
-- columns are those of the newest; these hold all of them, oldest first, and are null where an entry has a row of its own.
alter table access_log
  add column span_ms      integer,            -- from the oldest to the newest
  add column before_ms    integer[],          -- ms before `created_at`
  add column request_ids  text[],
  add column durations_ms double precision[],
  add column client_ips   text[],             -- these are null where all have the one of the newest
  add column user_agents  text[],
  add column referers     text[];

-- Ids do not compress.
alter table access_log alter column request_ids set storage external;

-- The entries of a row have the ids that follow its own: fewer than 512.
alter sequence access_log_id increment by 512;

-- Rows with all that filters ask of them. The words are those of an index of each day (services/analytics/repository/index-words.ts).
create view access_rows as
select
  *,
  created_at as row_at,
  user_agent as row_user_agent,
  array_to_tsvector(array[
    'c' || client_ip, 'p' || left(path, 100), coalesce('r' || resource_namespace || '/' || resource_id, 'r')
  ]) as words
from access_log;

-- The entries one by one. To ask by the time, bound `row_at`, too, as that has an index: it is up to a second behind `created_at`.
create view access_entries as
select
  row.created_at - coalesce(entry.before_ms, 0) * interval '1 millisecond' as created_at,
  row.id + coalesce(entry.place - 1, 0) as id,
  coalesce(entry.request_id, row.request_id) as request_id,
  coalesce(entry.client_ip, row.client_ip) as client_ip,
  coalesce(entry.user_agent, row.user_agent) as user_agent,
  row.method,
  row.path,
  row.query,
  row.status,
  coalesce(entry.duration_ms, row.duration_ms) as duration_ms,
  case when entry.place is null then row.requests else 1 end as requests,
  coalesce(entry.referer, row.referer) as referer,
  row.resource_type,
  row.resource_namespace,
  row.resource_id,
  row.row_at,
  row.row_user_agent,
  row.client_ips,
  row.user_agents,
  row.words
from access_rows as row
left join lateral unnest(
  row.before_ms, row.request_ids, row.durations_ms, row.client_ips, row.user_agents, row.referers
) with ordinality as entry (before_ms, request_id, duration_ms, client_ip, user_agent, referer, place) on true;

-- Times and durations of the entries, without ids and clients: it takes half as long to read.
create view access_timings as
select
  row.row_at - coalesce(entry.before_ms, 0) * interval '1 millisecond' as created_at,
  row.method,
  row.path,
  row.query,
  row.status,
  coalesce(entry.duration_ms, row.duration_ms) as duration_ms,
  case when entry.before_ms is null then row.requests else 1 end as requests,
  row.resource_type,
  row.resource_namespace,
  row.resource_id,
  row.row_at,
  row.words
from access_rows as row
left join lateral unnest(row.before_ms, row.durations_ms) as entry (before_ms, duration_ms) on true;
