-- not in a transaction
drop index concurrently if exists scan_queue_times;
create index concurrently scan_queue_times on scan_queue (queued_at) where run_id is null;
