-- Pictures of deleted items go in one statement: a sweep deletes 200 items at a time, and a statement for each took half of it.
create or replace function renew_item_picture() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    with gone as (delete from item_pictures where code = old.code returning blob_key)
    insert into blob_trash (key, delete_after, used) select blob_key, now(), true from gone where blob_key is not null
    on conflict (key) do nothing;
  end if;
  if new.search is not null and not new.hidden
    and (new.kind = 'html' or new.kind = 'file' and new.content ->> 'family' = 'image')
  then
    insert into item_pictures (code, client, due_at)
    values (new.code, coalesce(new.client_ip, new.owner_hash), now()) on conflict (code) do nothing;
  end if;
  return null;
end $$;

create function discard_item_pictures() returns trigger language plpgsql as $$
begin
  with gone as (
    delete from item_pictures using deleted_items as item
    where item_pictures.code = item.code and item.kind in ('html', 'file')
    returning blob_key
  )
  insert into blob_trash (key, delete_after, used) select blob_key, now(), true from gone where blob_key is not null
  on conflict (key) do nothing;
  return null;
end $$;
create or replace trigger items_delete_picture after delete on items
  referencing old table as deleted_items for each statement execute function discard_item_pictures();
