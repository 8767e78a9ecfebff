import type { CallContext } from '../call-context.ts';
import { errors } from '../errors.ts';
import { announceItem } from './announce-item.ts';
import { claimBlobs, discardBlobs, wasUsed } from './blob-trash.ts';
import { assertStorable, etagsOf } from './blocked-content.ts';
import { blobKeysOf } from './content.ts';
import type { Kind } from './item.ts';
import type { Admission, ItemDependencies } from './item-dependencies.ts';
import {
  type AnyItem,
  type ContentChange,
  type Item,
  toItemRecord,
  updateItemRow,
} from './item-repository.ts';
import { changeItem } from './item-turns.ts';
import { findOwnedItem, type OwnedItemRef } from './owned-item.ts';
import { visibilityOf } from './quarantine.ts';
import { queueScan } from './scan-queue.ts';
import type { Query } from './sql.ts';
import { assertInTime } from './write-in-time.ts';

/** The kinds whose content is a blob that an update replaces. */
type ReplaceableKind = Exclude<Kind, 'kv'>;

export interface Replacement<K extends ReplaceableKind> {
  item: OwnedItemRef<K>;
  /** The new content's first blob. An item that has it already was updated by an earlier attempt at this update. */
  blobKey: string;
  /** Does slow work, such as rendering, outside of any transaction. */
  prepare(existing: Item<K>): Promise<(locked: Item<K>) => ContentChange<K>>;
  /** Throws for an existing item that is not to be replaced; nothing changes it meanwhile. */
  assertReplaceable?(locked: Item<K>): void;
}

/**
 * Replaces an item's content in one step; readers see the old one whole or the new one whole. Returns the item as this
 * update makes it, also when an earlier attempt at it has made it and another update has replaced it since: who made this
 * one must not take the other's ETag for its own.
 * @throws NOT_FOUND, OWNER_TOKEN_WRONG, CONTENT_BLOCKED, TIMEOUT, and what `assertReplaceable` and `ContentCheck.admit`
 * throw
 */
export async function replaceContent<K extends ReplaceableKind>(
  deps: ItemDependencies,
  replacement: Replacement<K>,
  context: CallContext,
): Promise<Item<K>> {
  const { sql, clock } = deps;
  const { item, blobKey } = replacement;
  assertInTime(context, 'an update');
  const existing = await findOwnedItem(sql, item, { clock, lock: false });
  const isMade = existing.content.blobKey === blobKey;
  const { result, current } = isMade
    ? { result: existing, current: existing }
    : await replace(deps, replacement, existing, context);
  // Also after an earlier attempt: it may have died between its commit and its announcement.
  await announceItem(deps, toItemRecord(current as AnyItem));
  return result;
}

interface Swapped<K extends ReplaceableKind> {
  /** The item as this update makes it. */
  result: Item<K>;
  /** The item as it is. */
  current: Item<K>;
}

async function replace<K extends ReplaceableKind>(
  deps: ItemDependencies,
  replacement: Replacement<K>,
  existing: Item<K>,
  context: CallContext,
): Promise<Swapped<K>> {
  const change = await replacement.prepare(existing);
  const content = change(existing).content;
  const admission = (await deps.check?.admit(replacement.item.kind, content, context)) ?? null;
  return await changeItem(deps, replacement.item, context, 'an update', (tx) =>
    swap(tx, deps, { ...replacement, code: existing.code, admission, client: context.client }, change),
  );
}

interface Locked {
  code: string;
  /** `null`: nothing is looked through. */
  admission: Admission | null;
  /** On whose behalf it is looked through. */
  client: string | undefined;
}

async function swap<K extends ReplaceableKind>(
  tx: Query,
  { clock, blobGraceMs }: ItemDependencies,
  { item, blobKey, code, assertReplaceable, admission, client }: Replacement<K> & Locked,
  change: (locked: Item<K>) => ContentChange<K>,
): Promise<Swapped<K>> {
  const locked = await findOwnedItem(tx, item, { clock, lock: true });
  // The item was removed meanwhile, and another one has its address: the prepared content is not for that one.
  if (locked.code !== code) throw errors.contentNotFound(item.namespace, item.id);
  // An earlier attempt at this update has made it meanwhile.
  if (locked.content.blobKey === blobKey) return { result: locked, current: locked };
  // And another update has replaced it since.
  if (await wasUsed(tx, blobKey)) return { result: { ...locked, ...change(locked) }, current: locked };
  assertReplaceable?.(locked);
  // Preparing and the lock may have taken long: the change counts from here.
  const now = clock.now();
  const changed = change(locked);
  // Without a content check the item stays in the quarantine that it is in.
  const visibility = admission === null ? {} : visibilityOf(locked, admission.finding, now);
  const [updated] = await Promise.all([
    updateItemRow(tx, locked, { ...changed, ...visibility }, now),
    assertStorable(tx, etagsOf(changed), now),
    admission?.queue === true ? queueScan(tx, { code, client }, now) : undefined,
  ]);
  await claimBlobs(tx, blobKeysOf(updated.content), now);
  await discardBlobs(tx, blobKeysOf(locked.content), now + blobGraceMs);
  return { result: updated, current: updated };
}
