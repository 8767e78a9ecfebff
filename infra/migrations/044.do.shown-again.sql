-- When an item that was hidden was last shown again, by the operator or after a look through its content.
alter table items add column shown_at timestamptz;
