-- New contents are looked through client by client: who sent one, and its place among those of all clients. What a rescan
-- puts into the queue has no client.
alter table scan_queue add column client text not null default '';
alter table scan_queue add column turn bigint not null default 0;
