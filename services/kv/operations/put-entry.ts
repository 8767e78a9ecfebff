import type { CallContext } from '../../../shared/call-context.ts';
import type { putEntry as contract } from '../../../shared/contracts/kv.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { errors } from '../../../shared/errors.ts';
import { LIMITS, storeKey } from '../../../shared/items/item.ts';
import { changeItem } from '../../../shared/items/item-turns.ts';
import { findOwnedItem, type OwnedItemRef } from '../../../shared/items/owned-item.ts';
import type { Query } from '../../../shared/items/sql.ts';
import { assertInTime, orUncertain } from '../../../shared/items/write-in-time.ts';
import { announceWritten } from '../announce-entry.ts';
import { assertAbsent, assertMatch, sequencesOf } from '../conditions.ts';
import type { KvDependencies } from '../dependencies.ts';
import {
  countEntries,
  lockEntry,
  type NewValue,
  replaceValue,
  type StoreOfEntry,
  type WrittenEntry,
  writeValue,
} from '../repository/entries.ts';

type Input = InputOf<typeof contract>;
type Written = WrittenEntry & StoreOfEntry;

/**
 * Sets a key. One statement where the key is there already. Whatever adds or removes a key holds the store's row
 * besides, so that the number of keys is exact; the store's row is always locked before a key's.
 * @throws NOT_FOUND, OWNER_TOKEN_WRONG, PRECONDITION_FAILED, KV_KEY_LIMIT, TIMEOUT
 */
export async function putEntry(
  deps: KvDependencies,
  input: Input,
  context: CallContext,
): Promise<ReplyOf<typeof contract>> {
  const { namespace, id, ownerHash } = input;
  const item: OwnedItemRef<'kv'> = { kind: 'kv', namespace, id, ownerHash };
  assertInTime(context, 'a value');
  const replaced = input.ifAbsent ? null : await orUncertain(replaceExisting(deps, item, input, context));
  const { written, created } =
    replaced === null
      ? await changeItem(deps, item, context, 'a value', (tx) => putLocked(tx, deps, item, input))
      : { written: replaced, created: false };
  const { entry, expiresAt } = await announceWritten(deps, item, written, input.value);
  return { entry, created, expiresAt };
}

/** Without a condition it goes along with others' writes; a failed condition must not be taken for a busy key. */
async function replaceExisting(
  { sql, clock, values, turns, databaseClock }: KvDependencies,
  item: OwnedItemRef<'kv'>,
  { key, value, sizeBytes, ifMatch }: Input,
  context: CallContext,
): Promise<Written | null> {
  const { deadline } = context;
  if (ifMatch === null || ifMatch.length === 0) {
    return await values.replace({ ...item, key, value, sizeBytes }, deadline);
  }
  return await turns.take(storeKey({ ...item, key }), context, 'a value', async () => {
    const times = { now: clock.now(), commitBy: await databaseClock.commitBy(deadline) };
    return await replaceValue(sql, item, { key, value, sizeBytes }, sequencesOf(ifMatch), times);
  });
}

async function putLocked(
  tx: Query,
  { clock }: KvDependencies,
  item: OwnedItemRef<'kv'>,
  input: Input,
): Promise<{ written: Written; created: boolean }> {
  const { key, value, sizeBytes } = input;
  const { code, expiresAt } = await findOwnedItem(tx, item, { clock, lock: true });
  const existing = await lockEntry(tx, { ...item, key });
  assertMatch(existing, input.ifMatch);
  assertAbsent(existing, input.ifAbsent);
  if (existing === null && (await countEntries(tx, item)) >= LIMITS.kvKeys) {
    throw errors.keyLimitReached(LIMITS.kvKeys);
  }
  const fresh: NewValue = { key, value, sizeBytes };
  const written = await writeValue(tx, item, fresh, clock.now());
  return { written: { ...written, store: code, expiresAt }, created: existing === null };
}
