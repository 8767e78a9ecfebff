-- not in a transaction
-- items_collection began with the namespace, as the primary key does. Connections keep the plans that they made while the table
-- was empty, and those looked addresses up by items_collection: each look-up read all items of the namespace.
drop index concurrently if exists items_of_a_kind;
create index concurrently items_of_a_kind on items (kind, namespace, expires_at);
drop index concurrently if exists items_collection;
