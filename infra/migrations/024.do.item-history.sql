-- What happened in each hour, for charts: what item_totals holds by the quarter of an hour, but for a month, and apart from it,
-- as every read of the totals adds up all of their rows.
create table item_history (
  hour    timestamptz not null,
  kind    text        not null,
  created bigint      not null default 0,
  deleted bigint      not null default 0,
  views   bigint      not null default 0,
  bytes   bigint      not null default 0,
  primary key (hour, kind)
);

-- The last two days are known.
insert into item_history (hour, kind, created, deleted, views, bytes)
select date_bin('1 hour', quarter_hour, 'epoch'), kind, sum(created), sum(deleted), sum(views), sum(bytes)
from item_totals where quarter_hour > '-infinity' group by 1, 2;
