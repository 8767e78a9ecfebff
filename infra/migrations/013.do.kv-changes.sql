-- What a change of a key (an increment, an append) under an Idempotency-Key did: a repetition gets the first answer.
create table kv_change_receipts (
  namespace   text        not null,
  id          text        not null,
  -- Names the key, its owner and the store: a hash.
  receipt     text        not null,
  -- Of the request: a key used again for another one is an error.
  fingerprint text        not null,
  -- What the change was answered with.
  answer      jsonb       not null,
  created_at  timestamptz not null,
  primary key (namespace, id, receipt)
);

create index kv_change_receipts_age on kv_change_receipts (created_at);

-- They go with their store. A foreign key would lock the store's row for each change, and those who hold that row wait
-- for the rows of keys. The name sorts behind those of foreign keys: the keys of the store are deleted first, which
-- waits for changes under way.
create function forget_kv_change_receipts() returns trigger language plpgsql as $$
begin
  delete from kv_change_receipts where namespace = old.namespace and id = old.id;
  return null;
end
$$;

create trigger forget_kv_change_receipts after delete on items
for each row when (old.kind = 'kv') execute function forget_kv_change_receipts();
