-- Entries of the log that differ in nothing but time, id, duration and client share a row (docs/decisions/0053). Its other
-- columns are those of the newest; these hold all of them, oldest first, and are null where an entry has a row of its own.
alter table access_log
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
  row.created_at as row_at,
  row.client_ips,
  array_to_tsvector(array[
    'c' || row.client_ip, 'p' || left(row.path, 100),
    coalesce('r' || row.resource_namespace || '/' || row.resource_id, 'r')
  ]) as words
from access_log as row
left join lateral unnest(
  row.before_ms, row.request_ids, row.durations_ms, row.client_ips, row.user_agents, row.referers
) with ordinality as entry (before_ms, request_id, duration_ms, client_ip, user_agent, referer, place) on true;
