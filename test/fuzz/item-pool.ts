import type { Need } from '../../services/gateway/openapi/operation.ts';
import { createItem } from '../openapi/example-items.ts';

/** An item as a request asks for it. */
export interface Wanted {
  need: Exclude<Need, 'locked html'>;
  namespace: string;
  locked: boolean;
  /** There, or removed by an earlier request. */
  isGone: boolean;
}

/** An item to send requests to, and what they have to say to be let in. */
export interface PooledItem {
  path: Record<string, string>;
  values: Record<string, string>;
}

/** The password of every locked item, and the owner token of all of them. */
export const POOL_PASSWORD = 'correct horse';
export const POOL_OWNER = 'own_fuzz_0123456789abcdefghijklmnopqrstuvwxyz';

/** Items on a running Perch, made when they are first asked for and made anew when they have been removed. */
export interface ItemPool {
  get(wanted: Wanted): Promise<PooledItem>;
  /** Says that a request may have removed the item: what asks for one that is there gets another. */
  removed(wanted: Wanted): void;
}

export function createItemPool(baseUrl: string): ItemPool {
  const here = new Map<string, Promise<PooledItem>>();
  const gone = new Map<string, Promise<PooledItem>>();
  const name = ({ need, namespace, locked }: Wanted): string => `${need} ${namespace} ${locked}`;

  /** An item keeps its domain where a request was refused, an owner has few, and name servers are asked about each now and then. */
  const removeHolder = async (wanted: Wanted): Promise<void> => {
    const holder = await gone.get(name(wanted));
    if (holder === undefined) return;
    const { ns, id } = holder.path;
    const headers = { 'User-Agent': 'PerchFuzz/1.0', 'X-Owner-Token': POOL_OWNER };
    const { status } = await fetch(`${baseUrl}/api/html/${ns}/${id}`, { method: 'DELETE', headers });
    if (status !== 204 && status !== 404)
      throw new Error(`a page with a domain cannot be removed: ${status}`);
  };

  const make = async (wanted: Wanted): Promise<PooledItem> => {
    const { need, namespace, locked } = wanted;
    if (need === 'html with a domain') await removeHolder(wanted);
    const headers = { 'X-Owner-Token': POOL_OWNER, ...(locked ? { 'X-Password': POOL_PASSWORD } : {}) };
    // Without an id of its own, a page with the content of another one of its owner would be that page.
    const query = `?ns=${namespace}&id=${crypto.randomUUID()}`;
    const item = await createItem(baseUrl, need, { query, headers });
    return { ...item, values: { ...item.values, password: POOL_PASSWORD } };
  };

  return {
    get(wanted) {
      const removed = wanted.isGone ? gone.get(name(wanted)) : undefined;
      const item = removed ?? here.get(name(wanted)) ?? make(wanted);
      if (removed === undefined) here.set(name(wanted), item);
      return item;
    },
    removed(wanted) {
      const item = here.get(name(wanted));
      if (item !== undefined) gone.set(name(wanted), item);
      here.delete(name(wanted));
    },
  };
}
