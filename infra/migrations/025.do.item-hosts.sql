-- Labels of the hosts that items have of their own. A row stays for good: no label is ever given twice.
create table item_labels (
  label      text        not null primary key,
  -- The item that has it. Of a retired one they stay in the public namespace alone.
  namespace  text,
  id         text,
  given_at   timestamptz not null,
  -- When the life of its item was over.
  retired_at timestamptz
);

-- Where the owner wants the item served: path or subdomain; null when the owner has not said.
alter table items add column delivery_mode text;
-- The label of its own host; null while it has none.
alter table items add column label text;
-- Grows with each change of delivery_mode.
alter table items add column hosting_version integer not null default 1;
