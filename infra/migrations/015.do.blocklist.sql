-- Clients that the operator keeps from creating and changing anything. An entry that is removed stays, to be looked up.
create table blocks (
  id         text        not null primary key,
  -- An address or a network in CIDR notation.
  ip         text,
  -- A part of the User-Agent, `*` standing for any text.
  ua_pattern text,
  reason     text        not null,
  blocked_at timestamptz not null,
  -- The address from which the operator asked for it.
  blocked_by text        not null,
  -- Null: for good.
  expires_at timestamptz,
  removed_at timestamptz,
  -- Grows with every change of the list: gateways ask by the highest one whether they know the list.
  revision   bigint      not null,
  check (ip is not null or ua_pattern is not null)
);

create index blocks_revision on blocks (revision);
create index blocks_age on blocks (blocked_at desc, id desc);
