-- Backups that are whole, for those who look after this database: a backup writes a row when it has ended.
create table backup_runs (
  finished_at timestamptz not null primary key default now(),
  -- Bytes of the content store that it has.
  blob_bytes  bigint      not null,
  with_log    boolean     not null
);
