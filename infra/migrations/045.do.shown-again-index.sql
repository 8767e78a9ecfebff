-- not in a transaction
drop index concurrently if exists items_shown;
create index concurrently items_shown on items (shown_at) where shown_at is not null;
