-- not in a transaction
-- Reports by item, for their groups, and for how many have reported one.
drop index concurrently if exists reports_item;
create index concurrently reports_item on reports (namespace, item_id, received_at) where item_id is not null;
-- What came from a range of addresses.
drop index concurrently if exists items_client_address;
create index concurrently items_client_address on items (address_of(client_ip)) where client_ip is not null;
-- Equal content, by the ETag that it has.
drop index concurrently if exists items_etag;
create index concurrently items_etag on items (left(content ->> 'sha256', 32)) where content ->> 'sha256' is not null;
drop index concurrently if exists items_file_etags;
create index concurrently items_file_etags on items using gin (file_etags) where file_etags is not null;
