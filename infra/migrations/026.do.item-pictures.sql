-- Small pictures of listed items for the gallery: of files that are images, and of pages. A row says that an item wants one,
-- has one, or can have none.
create table item_pictures (
  -- The item's short code.
  code     text        not null primary key,
  -- Who waits for it, until it is made or given up: clients take turns.
  client   text,
  -- From when it may be tried.
  due_at   timestamptz not null,
  tries    smallint    not null default 0,
  -- Null as long as there is none.
  blob_key text,
  width    smallint,
  height   smallint
);

create index item_pictures_wanted on item_pictures (client, due_at, code) where client is not null;

-- A picture belongs to the content that it was made of, and to an item that is listed: with either it goes, in the same
-- transaction, whoever makes the change.
create function renew_item_picture() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    with gone as (delete from item_pictures where code = old.code returning blob_key)
    insert into blob_trash (key, delete_after, used) select blob_key, now(), true from gone where blob_key is not null
    on conflict (key) do nothing;
  end if;
  if tg_op <> 'DELETE' then
    if new.search is not null and not new.hidden
      and (new.kind = 'html' or new.kind = 'file' and new.content ->> 'family' = 'image')
    then
      insert into item_pictures (code, client, due_at)
      values (new.code, coalesce(new.client_ip, new.owner_hash), now()) on conflict (code) do nothing;
    end if;
  end if;
  return null;
end $$;

create trigger items_insert_picture after insert on items
  for each row when (new.kind in ('html', 'file')) execute function renew_item_picture();
create trigger items_update_picture after update of content, hidden, password_hash on items
  for each row when (new.kind in ('html', 'file')
    and (old.content is distinct from new.content or old.hidden <> new.hidden
      or old.password_hash is distinct from new.password_hash))
  execute function renew_item_picture();
create trigger items_delete_picture after delete on items
  for each row when (old.kind in ('html', 'file')) execute function renew_item_picture();

-- The newest that are there already.
insert into item_pictures (code, client, due_at)
select code, coalesce(client_ip, owner_hash), now() from items
where search is not null and not hidden and (kind = 'html' or kind = 'file' and content ->> 'family' = 'image')
order by created_at desc limit 5000
on conflict (code) do nothing;
