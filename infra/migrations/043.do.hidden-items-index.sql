-- not in a transaction
-- The operator's list of hidden items, newest first: few of all items are.
drop index concurrently if exists items_hidden_newest;
create index concurrently items_hidden_newest on items (created_at, namespace, id) where hidden;
