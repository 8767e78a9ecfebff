import type * as contract from '../../../shared/contracts/kv.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { errors } from '../../../shared/errors.ts';
import type { Entry } from '../../../shared/items/entry.ts';
import { type ItemRef, itemKey } from '../../../shared/items/item.ts';
import { findItem } from '../../../shared/items/item-repository.ts';
import type { Query } from '../../../shared/items/sql.ts';
import { toRecord } from '../announce-entry.ts';
import type { KvDependencies } from '../dependencies.ts';
import { findEntry } from '../repository/entries.ts';

/** Reads a value from the database, and puts it into the cache, where the higher sequence wins. */
export async function readEntry(
  { sql, clock, cache, log }: KvDependencies,
  address: InputOf<typeof contract.readEntry>,
): Promise<ReplyOf<typeof contract.readEntry>> {
  const found = await findEntry(sql, address, clock.now());
  if (found === null) return { entry: null };
  const { store, expiresAt, ...entry } = found;
  const record = toRecord({ store, key: entry.key, sequence: entry.sequence, entry });
  // Also of a value too large to be kept: a client may read it here before its writer has told the cache, and must not get
  // an older value from the cache after that. When the cache is away, the next read tries again.
  await cache.putEntry(address, record, expiresAt).catch((error: unknown) => {
    log.debug({ error, item: itemKey(address) }, 'the cache could not be filled');
  });
  return { entry };
}

/**
 * The keys of a store. With many keys, fewer values come along than asked for, so that the reply fits in a message.
 * @throws NOT_FOUND
 */
export async function listEntries(
  { sql, clock }: KvDependencies,
  { valuesUpTo, ...store }: InputOf<typeof contract.listEntries>,
): Promise<ReplyOf<typeof contract.listEntries>> {
  const now = clock.now();
  const entries = await listKeys(sql, store, valuesUpTo, now);
  if (entries.length === 0) await assertStoreExists(sql, store, now);
  return { entries };
}

/** Called for an empty list: the store may have no keys, or be gone. @throws NOT_FOUND when it is gone */
async function assertStoreExists(
  sql: Query,
  { store, ...address }: ItemRef & { store: string },
  now: number,
): Promise<void> {
  const item = await findItem(sql, address);
  if (item?.code === store && item.expiresAt > now) return;
  throw errors.contentNotFound(address.namespace, address.id);
}

/** An entry in a list: its value only where it is short. */
type ListedEntry = Omit<Entry, 'value'> & { value: string | null };

/** Bytes of the values of one list in all: twice as much in a message at the worst, as JSON within JSON. */
const LISTED_VALUE_BYTES = 3_000_000;

/** The keys of a live store in the order of their bytes. Values come along up to so many bytes of JSON text each. */
async function listKeys(
  sql: Query,
  { namespace, id, store }: ItemRef & { store: string },
  valuesUpTo: number,
  now: number,
): Promise<ListedEntry[]> {
  return await sql<ListedEntry[]>`
    select entry.key, entry.size_bytes, entry.version, entry.sequence, entry.updated_at,
      case when octet_length(entry.value) <= least(${valuesUpTo}::int, ${LISTED_VALUE_BYTES}::int / count(*) over ())
        then entry.value end as value
    from kv_entries as entry join items on items.namespace = entry.namespace and items.id = entry.id
    where entry.namespace = ${namespace} and entry.id = ${id} and items.code = ${store}
      and items.expires_at > ${now}
    order by entry.key collate "C"`;
}
