-- Views of each item by hour, counted with the entries of the access log. By the short code: another item at the same
-- address has another one. A row stands for one entry of the log at least, so there are never more rows than entries.
create table item_view_hours (
  day   date     not null,
  code  text     not null,
  -- 0 to 23, UTC.
  hour  smallint not null,
  views bigint   not null,
  primary key (day, code, hour)
);

-- Where its readers came from: a host, or '' for all that have no row of their own (services/analytics/item-views.ts).
create table item_view_referers (
  day   date   not null,
  code  text   not null,
  host  text   not null,
  views bigint not null,
  primary key (day, code, host)
);

-- Items that are gone: a pass removes their rows above. A removal that did so itself would wait for writers of the log.
create table item_views_to_forget (code text not null primary key);

create function note_gone_item() returns trigger language plpgsql as $$
begin
  insert into item_views_to_forget (code) values (old.code) on conflict do nothing;
  return null;
end $$;

create trigger items_delete_views after delete on items for each row execute function note_gone_item();
