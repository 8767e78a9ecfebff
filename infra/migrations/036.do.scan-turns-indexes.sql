-- not in a transaction
drop index concurrently if exists scan_queue_turns;
create index concurrently scan_queue_turns on scan_queue (turn, due_at, code) where run_id is null;
drop index concurrently if exists scan_queue_clients;
create index concurrently scan_queue_clients on scan_queue (client, turn) where run_id is null;
