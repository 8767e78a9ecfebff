-- Grows with every change of any item, so that of two records of one address the newer is known,
-- also over removal and re-creation.
create sequence item_version;

-- What every kind of content has in common: the item registry.
create table items (
  namespace     text        not null,
  id            text        not null,
  kind          text        not null check (kind in ('html', 'json', 'kv', 'file', 'site')),
  code          text        not null constraint items_code_key unique,
  version       bigint      not null default nextval('item_version'),
  owner_hash    text        not null,
  password_hash text,
  title         text        not null,
  tags          text[]      not null default '{}',
  ttl_days      integer     not null check (ttl_days between 1 and 30),
  size_bytes    bigint      not null,
  created_at    timestamptz not null,
  updated_at    timestamptz not null,
  expires_at    timestamptz not null,
  constraint items_pkey primary key (namespace, id)
);

create index items_expiry on items (expires_at);
create index items_owner on items (owner_hash, namespace, kind, created_at);
-- The repair pass reads what changed lately.
create index items_updated on items (updated_at);

-- HTML, markdown and text pages.
create table pages (
  namespace    text    not null,
  id           text    not null,
  format       text    not null check (format in ('HTML', 'MARKDOWN', 'TEXT')),
  language     text,
  content_type text    not null,
  filename     text,
  show_top_bar boolean,
  -- Whether the owner named the page; otherwise the title follows the content on every update.
  title_given  boolean not null,
  sha256       text    not null,
  blob_key     text    not null,
  -- The page rendered for people; null when the stored bytes are the page.
  view_key     text,
  primary key (namespace, id),
  foreign key (namespace, id) references items (namespace, id) on delete cascade
);

create index pages_sha256 on pages (sha256);

-- Blobs that belong to no item and the moment they may go. A row goes in before a blob is written; the transaction
-- that makes the blob part of an item takes it out; the one that replaces or removes an item puts the old key in.
create table blob_trash (
  key          text        not null primary key,
  delete_after timestamptz not null
);

create index blob_trash_due on blob_trash (delete_after);

-- Items that were removed or have expired. Those of the public namespace stay (410); others go after the repair pass.
-- An address that was used again has several; each keeps the answer of its own short code.
create table tombstones (
  code       text        not null primary key,
  namespace  text        not null,
  id         text        not null,
  version    bigint      not null,
  removed_at timestamptz not null
);

create index tombstones_address on tombstones (namespace, id, version);
create index tombstones_removed on tombstones (removed_at);

-- One row for each create of the last 24 hours: a repeated one finds the item of the first.
create table create_receipts (
  receipt     text        not null constraint create_receipts_pkey primary key,
  -- Of the request: a key used again for another one is an error.
  fingerprint text        not null,
  namespace   text        not null,
  id          text        not null,
  created_at  timestamptz not null,
  foreign key (namespace, id) references items (namespace, id) on delete cascade
);

create index create_receipts_item on create_receipts (namespace, id);
create index create_receipts_age on create_receipts (created_at);

-- How far background passes have come, over restarts and over all processes.
create table watermarks (
  name    text        not null primary key,
  reached timestamptz not null
);
