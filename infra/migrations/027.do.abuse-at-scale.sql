-- An address as such; null for a text that is none, such as that of a client whose address nobody knew.
create function address_of(text) returns inet language sql immutable strict parallel safe as
$$ select case when $1 ~ '^[0-9a-f.:]*[.:][0-9a-f.:]*$' then $1::inet end $$;

-- The network by which reports count as independent: /24 of IPv4, /48 of IPv6, the smallest that one customer is given.
create function network_of(text) returns text language sql immutable strict parallel safe as
$$ select network(set_masklen(a, case family(a) when 4 then 24 else 48 end))::text from address_of($1) a $$;

-- The network_of the sender. Null: the report counts for nobody.
alter table reports add column reporter_network text;
-- Whether it came from the owner of the item, or from the network that the item came from.
alter table reports add column by_owner boolean not null default false;

-- The service itself acts, too: it hides what many have reported.
alter table audit_trail drop constraint audit_trail_via_check;
alter table audit_trail add constraint audit_trail_via_check check (via in ('console', 'api', 'service')) not valid;

-- The ETags of a site's files, that of the file it begins with first; null for other kinds, and for sites of earlier releases.
alter table items add column file_etags text[];

-- Content that may not be stored for some time.
create table blocked_content (
  -- The first 32 hex digits of its SHA-256, which are its ETag.
  etag       text        not null primary key,
  -- All of it, where that is known: sites know their files by ETag.
  sha256     text,
  reason     text        not null,
  blocked_at timestamptz not null,
  -- The address of the operator.
  blocked_by text        not null,
  expires_at timestamptz not null
);

create index blocked_content_age on blocked_content (blocked_at desc, etag desc);

-- Messages to the operator that wait to be sent, and those of the last days: one row for each message and channel.
create table notifications (
  id         text        not null primary key,
  channel    text        not null check (channel in ('webhook', 'email')),
  type       text        not null,
  -- The body as it is sent, the same in every attempt.
  payload    text        not null,
  created_at timestamptz not null,
  state      text        not null default 'waiting' check (state in ('waiting', 'sent', 'dead')),
  -- From when it may be tried; while a process tries it, until when it is left to that process.
  due_at     timestamptz not null,
  -- Of which each try takes the next one: the outcome of an earlier try changes nothing any more.
  attempts   integer     not null default 0,
  -- Attempts that it has been given: those at first, and as many again when the operator asks for it.
  allowed    integer     not null,
  settled_at timestamptz,
  last_error text
);

create index notifications_due on notifications (due_at) where state = 'waiting';
create index notifications_age on notifications (created_at desc, id desc);
