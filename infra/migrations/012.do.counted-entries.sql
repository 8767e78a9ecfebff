-- How many requests an entry of the log stands for: repeated refusals of a client are one.
alter table access_log add column requests integer not null default 1;
