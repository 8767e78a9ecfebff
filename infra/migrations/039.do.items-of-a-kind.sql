-- not in a transaction
-- Of all indexes only the primary key begins with the namespace now. A plan that is made while the table is empty, and kept
-- for long, took this one's as well, to look an address up: it read all items of the namespace each time.
drop index concurrently if exists items_of_a_kind;
create index concurrently items_of_a_kind on items (kind, namespace, expires_at);
drop index concurrently if exists items_collection;
