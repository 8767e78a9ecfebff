-- What people report about items, for the operator to look at.
create table reports (
  id             text        not null primary key,
  reported_url   text        not null,
  category       text        not null,
  description    text        not null,
  reporter_email text,
  -- The item, where the report names one; it may be gone by now.
  namespace      text,
  item_id        text,
  status         text        not null default 'new' check (status in ('new', 'reviewed', 'dismissed', 'actioned')),
  received_at    timestamptz not null
);

create index reports_status on reports (status, received_at desc);
