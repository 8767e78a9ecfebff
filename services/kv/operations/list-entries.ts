import type { listEntries as contract } from '../../../shared/contracts/kv.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { errors } from '../../../shared/errors.ts';
import type { ItemRef } from '../../../shared/items/item.ts';
import { findItem } from '../../../shared/items/item-repository.ts';
import type { Query } from '../../../shared/items/sql.ts';
import type { KvDependencies } from '../dependencies.ts';
import { listKeys } from '../repository/stores.ts';

/** The keys of a store; of many keys fewer values come along than asked for, so that a message holds them. @throws NOT_FOUND */
export async function listEntries(
  { sql, clock }: KvDependencies,
  { valuesUpTo, ...store }: InputOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  const now = clock.now();
  const entries = await listKeys(sql, store, valuesUpTo, now);
  if (entries.length === 0) await assertStands(sql, store, now);
  return { entries };
}

/** Tells a store without keys from one that is gone. @throws NOT_FOUND */
async function assertStands(
  sql: Query,
  { store, ...address }: ItemRef & { store: string },
  now: number,
): Promise<void> {
  const item = await findItem(sql, address);
  if (item?.code === store && item.expiresAt > now) return;
  throw errors.contentNotFound(address.namespace, address.id);
}
