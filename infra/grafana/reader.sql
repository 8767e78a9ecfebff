-- The role that Grafana reads with: it sees what the dashboards show and nothing else, so no hash of an owner or password,
-- no content, no client address, and of reports neither who sent them nor what they say. To be run by the owner of the
-- tables once Perch has made them, and again after an upgrade or a change here.
begin;

do $$
begin
  if not exists (select from pg_roles where rolname = 'perch_grafana') then
    create role perch_grafana login;
  end if;
  execute format('grant connect on database %I to perch_grafana', current_database());
end
$$;

-- A dashboard must not get in the way of those that write.
alter role perch_grafana connection limit 10;
alter role perch_grafana set default_transaction_read_only = on;
alter role perch_grafana set statement_timeout = '15s';
alter role perch_grafana set idle_in_transaction_session_timeout = '15s';

revoke all on all tables in schema public from perch_grafana;
grant usage on schema public to perch_grafana;
grant select (created_at, request_id, method, path, status, duration_ms, requests, resource_type) on access_log to perch_grafana;
grant select (created_at, row_at, duration_ms, requests) on access_timings to perch_grafana;
grant select on backup_runs, access_days, access_hours, access_hour_latencies, access_day_values, item_totals to perch_grafana;
grant select (namespace, id, kind, title, search, views, created_at, expires_at) on items to perch_grafana;
grant select (id, category, namespace, item_id, status, received_at) on reports to perch_grafana;

commit;
