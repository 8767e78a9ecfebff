-- The few tombstones that do not stay: each sweep looks for them.
create index tombstones_to_forget on tombstones (removed_at) where namespace <> 'public';
