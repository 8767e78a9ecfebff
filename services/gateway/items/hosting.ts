import { DELIVERY_MODES, type DeliveryMode } from '../../../shared/items/delivery-mode.ts';
import { type ItemRef, PUBLIC_NAMESPACE } from '../../../shared/items/item.ts';
import type { LiveItemRecord } from '../../../shared/items/item-record.ts';
import type { ItemHosts } from '../http/hosts.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { ValidationIssues } from '../http/validation-issues.ts';

/** An item with all that tells where it is served. */
interface HostedItem extends ItemRef {
  hasPassword: boolean;
  /** Left out by services of an earlier release. */
  hosting?: { deliveryMode: DeliveryMode | null; label: string | null; hostingVersion: number };
}

export function hostedItem(record: LiveItemRecord): HostedItem {
  const { namespace, id, passwordHash, deliveryMode, label, hostingVersion } = record;
  return {
    namespace,
    id,
    hasPassword: passwordHash !== null,
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
    deliveryMode,
    requestedDeliveryMode: asked,
    effectiveDeliveryMode: effective,
    deliveryModeMatched: deliveryMode === effective,
    hostUrl: origin === null ? null : `${origin}/`,
    access: hasPassword ? 'protected' : namespace === PUBLIC_NAMESPACE ? 'public' : 'unlisted',
    managementLink: `${context.baseUrl}/manage/${namespace}/${id}`,
    hostingVersion,
  } as const;
}

const UNTOLD = { deliveryMode: null, label: null, hostingVersion: 1 };

/** Where an item is to be served, in any case; `null` when it is blank or not said. */
export function parseDeliveryMode(
  value: unknown,
  field: string,
  issues: ValidationIssues,
): DeliveryMode | null {
  if (value === null || value === undefined) return null;
  const name = typeof value === 'string' ? value.trim().toLowerCase() : null;
  if (name === '') return null;
  const found = DELIVERY_MODES.find((mode) => mode === name) ?? null;
  if (found === null) issues.add(field, 'must be "path" or "subdomain".');
  return found;
}
