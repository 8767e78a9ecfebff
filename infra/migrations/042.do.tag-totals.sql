-- How many listed items have each tag, so that the gallery of a tag tells its total without counting them.

-- What every change adds to the totals. Rows are only ever put in, so writers never wait for one another; a pass moves
-- them into tag_totals.
create table tag_deltas (
  tag    text    not null,
  kind   text    not null,
  listed integer not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);

-- Items with an entry in the gallery, also hidden ones and those that have expired and wait for the sweep.
create table tag_totals (
  tag    text   not null,
  kind   text   not null,
  listed bigint not null,
  primary key (tag, kind)
);
-- The pass removes the tags that no item has any more.
create index tag_totals_unused on tag_totals (tag) where listed = 0;

create function record_item_tags() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.search is not null then
    insert into tag_deltas (tag, kind, listed)
    select distinct tag, old.kind, -1 from unnest(old.tags) as tag;
  end if;
  if new.search is not null then
    insert into tag_deltas (tag, kind, listed)
    select distinct tag, new.kind, 1 from unnest(new.tags) as tag;
  end if;
  return null;
end $$;

create trigger items_insert_tags after insert on items
  for each row when (new.search is not null and new.tags <> '{}') execute function record_item_tags();
create trigger items_update_tags after update of tags, password_hash on items
  for each row when (old.tags <> new.tags or (old.search is null) <> (new.search is null))
  execute function record_item_tags();

-- In one statement for all: a sweep deletes 200 items at a time.
create function record_deleted_tags() returns trigger language plpgsql as $$
begin
  insert into tag_deltas (tag, kind, listed)
  select tag, kind, -count(*) from (
    select distinct item.namespace, item.id, item.kind, tag from deleted_items as item, unnest(item.tags) as tag
    where item.search is not null
  ) as gone group by tag, kind;
  return null;
end $$;

create trigger items_delete_tags after delete on items
  referencing old table as deleted_items for each statement execute function record_deleted_tags();

-- What is there already. The triggers keep writers out until this is committed: nothing is counted twice or not at all.
insert into tag_totals (tag, kind, listed)
select tag, kind, count(*) from (
  select distinct item.namespace, item.id, item.kind, tag from items as item, unnest(item.tags) as tag
  where item.search is not null
) as listed group by tag, kind;
