-- Creates that share a commit, in one statement: each statement costs PostgreSQL and its client more than a row does.

-- Makes new items with the records of their idempotency keys and claims their blobs; whatever is wrong with one of them
-- undoes all. Returns the version of each by its short code. An error says only that: each goes on by itself then.
create function make_items(
  given json, receipts json, blobs text[], etags text[], moment timestamptz, commit_by timestamptz, lock_limit interval
) returns table (code text, version bigint) language plpgsql as $$
#variable_conflict use_column
declare
  claimed integer;
  goes_on boolean;
begin
  perform set_config('lock_timeout', (extract(epoch from lock_limit) * 1000)::integer::text, true);
  -- Asked once for all of them (migration 11).
  goes_on := exists (
    select from watermarks where name = 'database-start' and reached = pg_postmaster_start_time());

  return query
  insert into items (
    namespace, id, kind, code, owner_hash, password_hash, title, tags, ttl_days, size_bytes, excerpt, content,
    created_at, updated_at, expires_at, hidden, delivery_mode, label, hosting_version, domain, quarantine,
    client_ip, user_agent, file_etags, version)
  select
    namespace, id, kind, code, owner_hash, password_hash, title, tags, ttl_days, size_bytes, excerpt, content,
    created_at, updated_at, expires_at, hidden, delivery_mode, label, hosting_version, domain, quarantine,
    client_ip, user_agent, file_etags, case when goes_on then nextval('item_version') else next_item_version() end
  from json_populate_recordset(null::items, given)
  returning code, version;

  insert into create_receipts (receipt, fingerprint, salt, namespace, id, created_at)
  select receipt, fingerprint, salt, namespace, id, created_at
  from json_populate_recordset(null::create_receipts, receipts);

  delete from blob_trash where key = any(blobs) and not used and not doomed and delete_after > moment;
  get diagnostics claimed = row_count;
  if claimed <> cardinality(blobs) then
    raise exception 'a blob is not reserved any more';
  end if;

  -- A block waits for this lock, and looks for content afterwards: after it, a block is seen here, or sees these items.
  perform pg_advisory_xact_lock_shared(hashtextextended('blocked content', 7));
  if exists (select from blocked_content where etag = any(etags) and expires_at > moment) then
    raise exception 'some of the content is blocked';
  end if;

  -- Last, when all locks are held: after it nothing but the commit is left.
  if clock_timestamp() >= commit_by then
    raise exception 'too late for a commit';
  end if;
end
$$;
