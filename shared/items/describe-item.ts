import type { Kind } from './item.ts';
import type { Item } from './item-repository.ts';
import { toQuarantineState } from './quarantine.ts';

/** An item as its owner sees it (`describedItem` of the contracts): without the fields that only the services know. */
export function describeItem<K extends Kind>(item: Item<K>) {
  const { namespace, id, code, title, tags, ttlDays, sizeBytes, excerpt, content, views } = item;
  const { createdAt, updatedAt, expiresAt, passwordHash } = item;
  const { deliveryMode, label, hostingVersion, quarantine } = item;
  return {
    namespace,
    id,
    code,
    title,
    tags,
    ttlDays,
    sizeBytes,
    excerpt,
    content,
    views,
    createdAt,
    updatedAt,
    expiresAt,
    hasPassword: passwordHash !== null,
    ...(quarantine === null ? {} : { quarantine: toQuarantineState(quarantine) }),
    hosting: { deliveryMode, label, hostingVersion },
  };
}

/** A list of items for their owner. */
export const describeItems = <K extends Kind>({
  items,
  total,
}: {
  items: Array<Item<K>>;
  total: number;
}) => ({
  items: items.map((item) => describeItem(item)),
  total,
});
