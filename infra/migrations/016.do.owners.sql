-- Owners of whom the operator has noted something. All others have the tier DEFAULT and no row.
create table owners (
  -- The SHA-256 of the owner's token, in hex, as in items.owner_hash.
  owner_id     text        not null primary key,
  tier         text        not null check (tier in ('DEFAULT', 'PRIVILEGED')),
  -- Days that an item of a privileged owner may be given.
  max_ttl_days integer     not null check (max_ttl_days between 1 and 730),
  label        text,
  note         text,
  -- When the oldest item was created that the owner had when something was noted first.
  first_seen   timestamptz not null
);

create index owners_label on owners (lower(label) text_pattern_ops) where label is not null;

-- Owners whose items are being taken down, all of them: whoever finds a row goes on with it until none is left.
create table owner_takedowns (
  owner_id     text        not null primary key,
  requested_at timestamptz not null
);

-- Not checked again for the rows that are there: they hold to the narrower rule.
alter table items drop constraint items_ttl_days_check;
alter table items add constraint items_ttl_days_check check (ttl_days between 1 and 730) not valid;
