import { describeItem } from '../../../shared/contracts/items.ts';
import type { listStores as contract } from '../../../shared/contracts/kv.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { listOwnedItems } from '../../../shared/items/owner-list.ts';
import type { KvDependencies } from '../dependencies.ts';
import { type StoreSummary, summariseStores } from '../repository/stores.ts';

const EMPTY: StoreSummary = { keyCount: 0, sizeBytes: 0, updatedAt: 0 };

/** An owner's stores, each with what it holds. */
export async function listStores(
  deps: KvDependencies,
  input: InputOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  const { items, total } = await listOwnedItems(deps, 'kv', input);
  const ids = items.map(({ id }) => id);
  const summaries = await summariseStores(deps.sql, input.namespace, ids);
  return {
    total,
    items: items.map((item) => {
      const { keyCount, sizeBytes, updatedAt } = summaries.get(item.id) ?? EMPTY;
      return {
        ...describeItem(item),
        ...{ keyCount, sizeBytes, updatedAt: Math.max(updatedAt, item.updatedAt) },
      };
    }),
  };
}
