-- not in a transaction
drop index concurrently if exists items_moderated;
create index concurrently items_moderated on items (moderated_at) where moderated_at is not null;
-- The few addresses that lists of public items leave out.
drop index concurrently if exists items_hidden;
create index concurrently items_hidden on items (id) where hidden and namespace = 'public';
-- The operator's list of all items, newest first.
drop index concurrently if exists items_created;
create index concurrently items_created on items (created_at, namespace, id);
