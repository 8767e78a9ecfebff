-- not in a transaction
drop index concurrently if exists items_quarantined;
create index concurrently items_quarantined on items (created_at, namespace, id) where quarantine is not null;
