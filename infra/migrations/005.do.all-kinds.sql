-- What a kind adds to an item becomes one document of its row, so that every kind is inserted, resolved, listed and
-- expired alike.
alter table items add column content jsonb;
-- The beginning of a JSON document, for lists.
alter table items add column excerpt text;

update items set content = jsonb_build_object(
  'format', pages.format, 'language', pages.language, 'contentType', pages.content_type, 'filename', pages.filename,
  'showTopBar', pages.show_top_bar, 'titleGiven', pages.title_given, 'sha256', pages.sha256,
  'blobKey', pages.blob_key, 'viewKey', pages.view_key)
from pages where pages.namespace = items.namespace and pages.id = items.id;

alter table items alter column content set not null;
drop table pages;

-- Equal posts of one owner (specification 4.2 rule 2).
create index items_repost on items (owner_hash, (content ->> 'sha256')) where kind = 'html' and namespace = 'public';
-- How full a collection is.
create index items_collection on items (namespace, kind, expires_at);

-- Whether its deletion was asked for: done or not, nobody may claim the blob any more.
alter table blob_trash add column doomed boolean not null default false;

-- The values of stores.
create table kv_entries (
  namespace  text        not null,
  id         text        not null,
  key        text        not null,
  -- JSON text as it is given out.
  value      text        not null,
  size_bytes integer     not null,
  version    integer     not null default 1,
  -- Of two records of one key the higher is the newer, also over removal and re-creation.
  sequence   bigint      not null default nextval('item_version'),
  updated_at timestamptz not null,
  primary key (namespace, id, key),
  foreign key (namespace, id) references items (namespace, id) on delete cascade
);

-- The repair pass reads what changed lately.
create index kv_entries_updated on kv_entries (updated_at);

-- Keys removed lately: what the cache must be told when it was away.
create table kv_removed_entries (
  namespace  text        not null,
  id         text        not null,
  store      text        not null,
  key        text        not null,
  sequence   bigint      not null,
  removed_at timestamptz not null,
  primary key (namespace, id, key, sequence),
  foreign key (namespace, id) references items (namespace, id) on delete cascade
);

create index kv_removed_entries_age on kv_removed_entries (removed_at);
