-- Why an item is in quarantine, as JSON: { cause, verdict, part, since, hidden }. Its row is hidden meanwhile, so that
-- whatever leaves out hidden items leaves it out, too; `hidden` in here says whether the operator has hidden it besides.
alter table items add column quarantine jsonb;

-- Items whose content is to be looked through.
create table scan_queue (
  -- The item's short code.
  code   text        not null primary key,
  -- The rescan that wants it; null: its content is new.
  run_id bigint,
  -- From when it may be taken; whoever takes it moves this to the end of a lease.
  due_at timestamptz not null,
  tries  smallint    not null default 0
);

create index scan_queue_new on scan_queue (due_at, code) where run_id is null;
create index scan_queue_rescan on scan_queue (due_at, code) where run_id is not null;
create index scan_queue_run on scan_queue (run_id) where run_id is not null;

-- Findings that the operator has let pass, for one content of one item.
create table scan_releases (
  code        text        not null,
  blob_key    text        not null,
  verdict     text        not null,
  released_at timestamptz not null,
  primary key (code, blob_key, verdict)
);

-- Rescans of all that is stored: how far each has come, and what it has found.
create table scan_runs (
  id          bigint      generated always as identity primary key,
  started_at  timestamptz not null,
  -- 'operator' or 'schedule'.
  started_by  text        not null,
  -- The scanner and its signatures, as it calls them.
  scanner     text        not null,
  -- Behind this address the next items are queued; null: all are.
  after_namespace text default '',
  after_id        text default '',
  -- When the next item that is queued may be taken: the pace.
  next_due_at timestamptz not null,
  queued      integer     not null default 0,
  scanned     integer     not null default 0,
  found       integer     not null default 0,
  finished_at timestamptz
);

-- One at a time.
create unique index scan_runs_one on scan_runs ((finished_at is null)) where finished_at is null;
