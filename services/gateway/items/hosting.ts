import type { DeliveryMode } from '../../../shared/items/delivery-mode.ts';
import { type ItemRef, PUBLIC_NAMESPACE } from '../../../shared/items/item.ts';
import type { LiveItemRecord } from '../../../shared/items/item-record.ts';
import type { ItemHosts } from '../http/item-hosts.ts';
import type { RequestContext } from '../http/request-context.ts';

/** An item with all that tells where it is served. */
export interface HostedItem extends ItemRef {
  hasPassword: boolean;
  /** Left out by services of an earlier release. */
  hosting?: { deliveryMode: DeliveryMode | null; label: string | null; hostingVersion: number };
}

export function hostedItem(record: LiveItemRecord): HostedItem {
  const { namespace, id, passwordHash, deliveryMode, label, hostingVersion } = record;
  return {
    ...{ namespace, id, hasPassword: passwordHash !== null },
    hosting: {
      deliveryMode: deliveryMode ?? null,
      label: label ?? null,
      hostingVersion: hostingVersion ?? 1,
    },
  };
}

/** The fields that say where an item is served (specification 3.6). */
export function hostingFields(
  { itemHosts }: { itemHosts: ItemHosts },
  context: RequestContext,
  { namespace, id, hasPassword, hosting }: HostedItem,
) {
  const { deliveryMode: asked, label, hostingVersion } = hosting ?? UNTOLD;
  const deliveryMode = asked ?? (itemHosts.byDefault ? 'subdomain' : 'path');
  const effective = itemHosts.modeOf(context, { deliveryMode });
  const origin = label === null || effective === 'path' ? null : itemHosts.originOf(context, label);
  return {
    ...{ deliveryMode, requestedDeliveryMode: asked, effectiveDeliveryMode: effective },
    deliveryModeMatched: deliveryMode === effective,
    hostUrl: origin === null ? null : `${origin}/`,
    access: hasPassword ? 'protected' : namespace === PUBLIC_NAMESPACE ? 'public' : 'unlisted',
    managementLink: `${context.baseUrl}/manage/${namespace}/${id}`,
    hostingVersion,
  } as const;
}

const UNTOLD = { deliveryMode: null, label: null, hostingVersion: 1 };
