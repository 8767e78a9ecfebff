import type { CallContext } from '../../../shared/call-context.ts';
import type * as contract from '../../../shared/contracts/hosting.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { errors } from '../../../shared/errors.ts';
import { announceItem } from '../../../shared/items/announce-item.ts';
import { findByLabel, setHosting } from '../../../shared/items/item-labels.ts';
import { type AnyItem, toItemRecord } from '../../../shared/items/item-repository.ts';
import { changeItem } from '../../../shared/items/item-turns.ts';
import { findLiveItem, findOwnedItem } from '../../../shared/items/owned-item.ts';
import type { ContentDependencies } from '../dependencies.ts';

export const resolveLabel = async (
  { sql }: ContentDependencies,
  { label }: InputOf<typeof contract.resolveLabel>,
): Promise<ReplyOf<typeof contract.resolveLabel>> => ({ item: await findByLabel(sql, label) });

/** Gives an item a label. The first of several who ask at once gives it; the row's lock lets the others find it. @throws NOT_FOUND, TIMEOUT */
export async function labelItem(
  deps: ContentDependencies,
  address: InputOf<typeof contract.labelItem>,
  context: CallContext,
): Promise<ReplyOf<typeof contract.labelItem>> {
  const { clock } = deps;
  const labelled = await changeItem(deps, address, context, 'a host of its own for an item', async (tx) => {
    const locked = await findLiveItem(tx, address, { clock, lock: true });
    if (locked.label !== null) return locked;
    const { deliveryMode, hostingVersion } = locked;
    return await setHosting(tx, locked, { deliveryMode, hostingVersion, givesLabel: true }, clock.now());
  });
  const record = toItemRecord(labelled);
  await announceItem(deps, record);
  return { record };
}

/**
 * Sets where an item is served, if its hosting version is the expected one.
 * @throws NOT_FOUND, OWNER_TOKEN_WRONG, HOSTING_CHANGED, TIMEOUT
 */
export async function setDeliveryMode(
  deps: ContentDependencies,
  { deliveryMode, expectedVersion, labelled, ...owned }: InputOf<typeof contract.setDeliveryMode>,
  context: CallContext,
): Promise<ReplyOf<typeof contract.setDeliveryMode>> {
  const { clock } = deps;
  const { item, isChanged } = await changeItem(
    deps,
    owned,
    context,
    'a change of where an item is served',
    async (tx) => {
      const locked = (await findOwnedItem(tx, owned, { clock, lock: true })) as AnyItem;
      if (locked.hostingVersion !== expectedVersion) return { item: locked, isChanged: false };
      const change = { deliveryMode, hostingVersion: expectedVersion + 1, givesLabel: labelled };
      return { item: await setHosting(tx, locked, change, clock.now()), isChanged: true };
    },
  );
  const record = toItemRecord(item);
  // The process that changed it may have died between its commit and this.
  await announceItem(deps, record);
  if (!isChanged) throw errors.hostingChanged(item.hostingVersion);
  return { record };
}
