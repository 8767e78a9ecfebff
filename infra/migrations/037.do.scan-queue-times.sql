-- Since when a content waits to be looked through; the moment when it is due moves with every try.
alter table scan_queue add column queued_at timestamptz not null default now();
