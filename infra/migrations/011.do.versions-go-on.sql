-- Versions have to grow also when the database comes back older than it was: a cold copy put back, a standby that was
-- behind, a restore to a point in time. The cache may know versions of what was lost, and would take a lower one for an
-- older one. So versions go on from the microseconds since the epoch after each start of the server: above all that
-- were given out before, as a second never sees a million of them.

-- Which start of the server versions were given out for last; none yet.
insert into watermarks (name, reached) values ('database-start', timestamptz 'epoch') on conflict (name) do nothing;

-- One second ahead, so that of many who find this out at once only the first changes the sequence.
create function lift_item_version() returns void language plpgsql as $$
declare
  micros bigint;
begin
  -- Held for these few statements only: nobody can wait in a circle with whoever holds it.
  perform pg_advisory_lock(hashtextextended('item versions', 3));
  micros := (extract(epoch from clock_timestamp()) * 1000000)::bigint;
  perform setval('item_version', micros + 1000000) from item_version where last_value < micros;
  perform pg_advisory_unlock(hashtextextended('item versions', 3));
end
$$;

-- A standby that takes over has a start of its own, so comparing for equality finds that, too.
create function next_item_version() returns bigint language plpgsql as $$
begin
  if exists (select from watermarks where name = 'database-start' and reached = pg_postmaster_start_time()) then
    return nextval('item_version');
  end if;
  perform lift_item_version();
  -- Another transaction may hold the row: nobody waits for it, as this may be done twice.
  update watermarks set reached = pg_postmaster_start_time() where name = (
    select name from watermarks where name = 'database-start' for update skip locked);
  if not exists (select from watermarks where name = 'database-start') then
    insert into watermarks (name, reached) values ('database-start', pg_postmaster_start_time())
    on conflict (name) do nothing;
  end if;
  return nextval('item_version');
end
$$;

alter table items alter column version set default next_item_version();
alter table kv_entries alter column sequence set default next_item_version();
