-- Domains of their own that owners want items served at: each row is a claim. Whose claim is not pending holds the domain.
create table item_domains (
  -- The short code of the item: a claim ends with the item's life.
  code        text        not null primary key references items (code) on delete cascade,
  domain      text        not null,
  owner_hash  text        not null,
  -- What the TXT record has to say.
  token       text        not null,
  state       text        not null check (state in ('pending', 'verified', 'active', 'lost')),
  claimed_at  timestamptz not null,
  verified_at timestamptz,
  -- Since when the record is missing.
  lost_at     timestamptz,
  -- When name servers were last asked, and what came of it.
  checked_at  timestamptz,
  finding     text,
  -- When they are asked next; null: when the owner wants it.
  due_at      timestamptz
);

-- A domain belongs to one item at the most.
create unique index item_domains_held on item_domains (domain) where state <> 'pending';
create index item_domains_owner on item_domains (owner_hash);
create index item_domains_due on item_domains (due_at) where due_at is not null;

-- The domain that the item holds, of `item_domains`; null while it holds none.
alter table items add column domain text;
