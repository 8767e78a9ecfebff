import { newItemLabel } from '../ids.ts';
import type { ItemRef } from './item.ts';
import { type AnyItem, changeItemRow } from './item-repository.ts';
import type { Query } from './sql.ts';

/** Notes the label that an item was given: the primary key keeps it from ever being given again. */
export async function noteLabel(
  sql: Query,
  { label, namespace, id }: ItemRef & { label: string },
  now: number,
): Promise<void> {
  await sql`
    insert into item_labels (label, namespace, id, given_at) values (${label}, ${namespace}, ${id}, ${now})`;
}

/** How an item is to be served. */
interface HostingChange extends Pick<AnyItem, 'deliveryMode' | 'hostingVersion'> {
  /** Whether it is given a label when it has none. */
  givesLabel: boolean;
}

/** Sets how a locked row is served. */
export async function setHosting(
  sql: Query,
  item: AnyItem,
  { deliveryMode, hostingVersion, givesLabel }: HostingChange,
  now: number,
): Promise<AnyItem> {
  const { namespace, id } = item;
  const label = item.label ?? (givesLabel ? newItemLabel() : null);
  if (label !== null && item.label === null) await noteLabel(sql, { namespace, id, label }, now);
  const hosting = { deliveryMode, hostingVersion, label };
  return { ...item, ...hosting, version: await changeItemRow(sql, item, { ...hosting, renewedAt: now }) };
}

/** The address of the item that has a label, or in the public namespace had it; `null` for every other label. */
export async function findByLabel(sql: Query, label: string): Promise<ItemRef | null> {
  const [found] = await sql<Array<{ namespace: string | null; id: string | null }>>`
    select namespace, id from item_labels where label = ${label}`;
  if (found === undefined || found.namespace === null || found.id === null) return null;
  return { namespace: found.namespace, id: found.id };
}
