-- Every action of the operator, by console or API. Rows are added and never changed.
create table audit_trail (
  id         bigint      generated always as identity primary key,
  created_at timestamptz not null,
  request_id text        not null,
  action     text        not null,
  -- What it was done to: an item's address, an owner's id, a report, an entry of the blocklist.
  target     text        not null,
  client_ip  text        not null,
  -- By the console with its cookie, or by the API with the password.
  via        text        not null check (via in ('console', 'api')),
  note       text,
  -- 'done', or the code of the error it failed with.
  outcome    text        not null,
  -- A request that is repeated inside the service does nothing twice.
  unique (request_id, action, target, outcome)
);

create index audit_trail_age on audit_trail (created_at desc, id desc);

-- Its owner, too, may only add and read.
revoke update, delete, truncate on audit_trail from current_user;

-- A superuser, as the role of an embedded database is, has every right; this holds for that one, too.
create function refuse_change_of_audit_trail() returns trigger language plpgsql as $$
begin
  raise exception 'the audit trail takes no changes' using errcode = 'insufficient_privilege';
end $$;

create trigger audit_trail_is_append_only before update or delete or truncate on audit_trail
  for each statement execute function refuse_change_of_audit_trail();

-- Who is signed in to the operator's console.
create table admin_sessions (
  -- The SHA-256 of the token in the cookie, in hex.
  session_id text        not null primary key,
  expires_at timestamptz not null
);

-- Processes of the server, as they tell of themselves every ten seconds. Of no use after a crash of the database.
create unlogged table processes (
  process_id   text        not null primary key,
  service      text        not null,
  version      text        not null,
  started_at   timestamptz not null,
  seen_at      timestamptz not null,
  memory_bytes bigint      not null
);
