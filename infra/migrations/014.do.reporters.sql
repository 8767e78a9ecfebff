-- Who sent a report, and the kind of the item that it is about: `unknown` when no item was at that address then.
alter table reports add column resource_type text not null default 'unknown';
alter table reports add column reporter_ip text;
alter table reports add column reporter_user_agent text;
