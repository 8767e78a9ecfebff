-- not in a transaction
-- The operator's list of all that came from one address.
drop index concurrently if exists items_client;
create index concurrently items_client on items (client_ip, created_at) where client_ip is not null;
