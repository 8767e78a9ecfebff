import { describeItem } from '../../../shared/contracts/items.ts';
import type { listKv as contract } from '../../../shared/contracts/kv.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { itemKey } from '../../../shared/items/item.ts';
import { type KvSummary, summariseKv } from '../../../shared/items/kv-summaries.ts';
import { listOwnedItems } from '../../../shared/items/owner-list.ts';
import type { KvDependencies } from '../dependencies.ts';

const EMPTY: KvSummary = { keyCount: 0, sizeBytes: 0, updatedAt: 0 };

/** An owner's stores, each with what it holds. */
export async function listKv(
  deps: KvDependencies,
  input: InputOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  const { items, total } = await listOwnedItems(deps, 'kv', input);
  const summaries = await summariseKv(deps.sql, items);
  return {
    total,
    items: items.map((item) => {
      const { keyCount, sizeBytes, updatedAt } = summaries.get(itemKey(item)) ?? EMPTY;
      return {
        ...describeItem(item),
        ...{ keyCount, sizeBytes, updatedAt: Math.max(updatedAt, item.updatedAt) },
      };
    }),
  };
}
