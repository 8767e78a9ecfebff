import type { CallContext } from '../../../shared/call-context.ts';
import type * as contract from '../../../shared/contracts/kv.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { listItemsOfKind } from '../../../shared/items/collections.ts';
import { createItem } from '../../../shared/items/create-item.ts';
import { describeItem } from '../../../shared/items/describe-item.ts';
import { summariseKv } from '../../../shared/items/kv-summaries.ts';
import { announceEntry, type EntryChange } from '../announce-entry.ts';
import type { KvDependencies } from '../dependencies.ts';
import { writeValue } from '../repository/entries.ts';

/** Makes a store with its first key, or finds the one that the same create has made already. */
export async function createKv(
  deps: KvDependencies,
  input: InputOf<typeof contract.createKv>,
  context: CallContext,
): Promise<ReplyOf<typeof contract.createKv>> {
  const { key, value, sizeBytes } = input.entry;
  const first: EntryChange[] = [];
  const { item, idempotencySalt } = await createItem(deps, input, context, {
    kind: 'kv',
    content: { title: input.title ?? '', sizeBytes, excerpt: null, content: {} },
    async after(tx, { namespace, id, code, createdAt }) {
      const written = await writeValue(tx, { namespace, id }, { key, value, sizeBytes }, createdAt);
      first.push({ store: code, key, sequence: written.sequence, entry: { ...written, value } });
    },
  });
  // Only the attempt that made the store has its code. A store that was found has none here: its key may have another value
  // by now.
  const change = first.find(({ store }) => store === item.code);
  if (change !== undefined) await announceEntry(deps, item, change, item.expiresAt);
  return { item: describeItem(item), idempotencySalt };
}

/** An owner's stores, each with what it holds. */
export async function listKv(
  deps: KvDependencies,
  input: InputOf<typeof contract.listKv>,
): Promise<ReplyOf<typeof contract.listKv>> {
  const { items, total } = await listItemsOfKind(deps, 'kv', input);
  const totalsOf = await summariseKv(deps.sql, items);
  return {
    total,
    items: items.map((item) => {
      const { keyCount, sizeBytes, updatedAt } = totalsOf(item);
      return {
        ...describeItem(item),
        keyCount,
        sizeBytes,
        updatedAt: Math.max(updatedAt, item.updatedAt),
      };
    }),
  };
}
