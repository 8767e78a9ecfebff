-- The access log: one row for each answered request, in partitions by UTC day that the analytics service makes and drops.
create sequence access_log_id;

create table access_log (
  created_at         timestamptz      not null,
  id                 bigint           not null default nextval('access_log_id'),
  request_id         text             not null,
  client_ip          text             not null,
  user_agent         text,
  method             text             not null,
  path               text             not null,
  query              text             not null,
  status             smallint         not null,
  duration_ms        double precision not null,
  referer            text,
  resource_type      text,
  resource_namespace text,
  resource_id        text,
  constraint access_log_pkey primary key (created_at, id)
) partition by range (created_at);

-- Each gives the rows of one filter in the order of the list. What nearly every row has stands in none of them: the
-- primary key finds enough of it at once, and each index costs every row that is written.
create index access_log_client_ip on access_log (client_ip, created_at, id);
create index access_log_resource on access_log (resource_namespace, resource_id, created_at, id)
  where resource_namespace is not null;
create index access_log_status on access_log (status, created_at, id) where status <> 200;
create index access_log_status_class on access_log ((status / 100), created_at, id) where status / 100 <> 2;
create index access_log_method on access_log (method, created_at, id) where method <> 'GET';
-- A path may be longer than an entry of an index.
create index access_log_path on access_log (left(path, 100) text_pattern_ops);

-- Batches whose events are in the log: one that arrives again is not written again.
create table access_batches (
  id          text        not null primary key,
  received_at timestamptz not null
);

create index access_batches_age on access_batches (received_at);

-- What the statistics are made of, so that they need not read the log. Kept in the transaction that writes the rows they
-- count. Hours and days are UTC.
create table access_hours (
  hour     timestamptz not null,
  method   text        not null,
  status   smallint    not null,
  requests bigint      not null,
  primary key (hour, method, status)
);

-- Latencies in buckets, each a tenth wider than the one before (services/analytics/latency-buckets.ts).
create table access_hour_latencies (
  hour     timestamptz not null,
  bucket   smallint    not null,
  requests bigint      not null,
  primary key (hour, bucket)
);

-- Requests of a day, and the different addresses they came from: an address counts when it is first inserted below.
create table access_days (
  day      date   not null primary key,
  requests bigint not null,
  clients  bigint not null
);

-- Only the most frequent addresses and values of a day stay; what was counted lately is trimmed later or less
-- (services/analytics/sweep/trim-rankings.ts). The indexes give the most frequent of a day, and the least.
create table access_day_ips (
  day       date   not null,
  client_ip text   not null,
  requests  bigint not null,
  primary key (day, client_ip)
);

create index access_day_ips_ranking on access_day_ips (day, requests desc);

create table access_day_values (
  day       date   not null,
  dimension text   not null check (dimension in ('path', 'user_agent', 'referer')),
  value     text   not null,
  requests  bigint not null,
  primary key (day, dimension, value)
);

create index access_day_values_ranking on access_day_values (day, dimension, requests desc);
