import type { readEntry as contract } from '../../../shared/contracts/kv.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { itemKey } from '../../../shared/items/item.ts';
import { toRecord } from '../announce-entry.ts';
import type { KvDependencies } from '../dependencies.ts';
import { findEntry } from '../repository/entries.ts';

/** Reads a value from the database, and puts it into the cache, where the higher sequence wins. */
export async function readEntry(
  { sql, clock, cache, log }: KvDependencies,
  address: InputOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  const found = await findEntry(sql, address, clock.now());
  if (found === null) return { entry: null };
  const { store, expiresAt, ...entry } = found;
  const record = toRecord({ store, key: entry.key, sequence: entry.sequence, entry });
  // Also of a value too large to be kept: it may be seen here before its writer has told the cache, and who has seen it
  // must not find an older one there. A cache that is away is asked again at the next read.
  await cache.putEntry(address, record, expiresAt).catch((error: unknown) => {
    log.debug({ error, item: itemKey(address) }, 'the cache could not be filled');
  });
  return { entry };
}
