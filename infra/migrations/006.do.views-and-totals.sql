-- What the view counter stood at when it was last saved: a few seconds behind the cache.
alter table items add column views bigint not null default 0;

-- What every change of items and values adds to the totals. Rows are only ever put in, so writers never wait for one
-- another; a pass moves them into item_totals.
create table item_deltas (
  at      timestamptz not null default now(),
  kind    text        not null,
  -- Listed: in the namespace everybody shares, without a password. Always false for the bytes of values, whose rows do
  -- not tell; bytes are not told apart.
  public  boolean     not null,
  created bigint      not null default 0,
  -- Removed by their owner or the operator, or expired.
  deleted bigint      not null default 0,
  views   bigint      not null default 0,
  bytes   bigint      not null default 0
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);

-- The sums by the quarter of an hour in which it happened, as days begin at one in every time zone. What lies days back
-- is in one row a kind, at -infinity. No row goes with the items it has counted.
create table item_totals (
  quarter_hour timestamptz not null,
  kind         text        not null,
  public       boolean     not null,
  created      bigint      not null default 0,
  deleted      bigint      not null default 0,
  views        bigint      not null default 0,
  bytes        bigint      not null default 0,
  primary key (quarter_hour, kind, public)
);

-- For each row: a statement costs nothing here unless it changes what is summed, such as a new version. With transition
-- tables every update of an item would pay. Items are created and changed one at a time.
create function record_item_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into item_deltas (kind, public, created, views, bytes)
    values (new.kind, new.namespace = 'public' and new.password_hash is null, 1, new.views,
      case new.kind when 'kv' then 0 else new.size_bytes end);
  elsif tg_op = 'UPDATE' then
    insert into item_deltas (kind, public, views, bytes)
    values (new.kind, new.namespace = 'public' and new.password_hash is null, new.views - old.views,
      case new.kind when 'kv' then 0 else new.size_bytes - old.size_bytes end);
  else
    insert into item_deltas (kind, public, deleted, bytes)
    values (old.kind, old.namespace = 'public' and old.password_hash is null, 1,
      case old.kind when 'kv' then 0 else -old.size_bytes end);
  end if;
  return null;
end $$;

create trigger items_insert_totals after insert on items
  for each row execute function record_item_change();
create trigger items_update_totals after update of views, size_bytes on items
  for each row when (new.views <> old.views or new.size_bytes <> old.size_bytes)
  execute function record_item_change();
create trigger items_delete_totals after delete on items
  for each row execute function record_item_change();

-- For each statement: under load one writes many values. The bytes of a store are those of its values.
create function record_value_change() returns trigger language plpgsql as $$
declare
  difference bigint := 0;
begin
  if tg_op <> 'DELETE' then
    difference := (select coalesce(sum(size_bytes), 0) from fresh);
  end if;
  if tg_op <> 'INSERT' then
    difference := difference - (select coalesce(sum(size_bytes), 0) from gone);
  end if;
  if difference <> 0 then
    insert into item_deltas (kind, public, bytes) values ('kv', false, difference);
  end if;
  return null;
end $$;

create trigger kv_entries_insert_totals after insert on kv_entries referencing new table as fresh
  for each statement execute function record_value_change();
create trigger kv_entries_update_totals after update on kv_entries referencing old table as gone new table as fresh
  for each statement execute function record_value_change();
create trigger kv_entries_delete_totals after delete on kv_entries referencing old table as gone
  for each statement execute function record_value_change();

-- What is there already. The triggers keep writers out until this is committed: nothing is counted twice or not at all.
insert into item_totals (quarter_hour, kind, public, created, bytes)
select
  case when created_at > now() - interval '2 days' then date_bin('15 minutes', created_at, 'epoch') else '-infinity' end,
  kind, namespace = 'public' and password_hash is null, count(*),
  coalesce(sum(size_bytes) filter (where kind <> 'kv'), 0)
from items group by 1, 2, 3;

insert into item_totals (quarter_hour, kind, public, bytes)
select '-infinity', 'kv', false, sum(size_bytes) from kv_entries having count(*) > 0
on conflict (quarter_hour, kind, public) do update set bytes = item_totals.bytes + excluded.bytes;
