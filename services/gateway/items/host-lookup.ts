import { LRUCache } from 'lru-cache';
import type { CallContext } from '../../../shared/call-context.ts';
import type { CustomDomainSettings } from '../../../shared/config/hosts.ts';
import { resolveDomain } from '../../../shared/contracts/domains.ts';
import { labelItem, resolveLabel } from '../../../shared/contracts/hosting.ts';
import { domainIn, publicSuffixes } from '../../../shared/domain-names.ts';
import type { ItemRef } from '../../../shared/items/item.ts';
import type { LiveItemRecord } from '../../../shared/items/item-record.ts';
import type { Bus } from '../../../shared/ports/bus.ts';
import type { Cache } from '../../../shared/ports/cache.ts';
import { createSharedCalls } from './shared-calls.ts';

/** Labels that a gateway knows the addresses of: about 20 MB. */
const MAX_LABELS = 100_000;

/**
 * Finds items by the labels of their hosts. A label never leads to another address, so a known address stays right; the item
 * there may have lost the label: the caller checks that in the item's record.
 */
export interface LabelLookup {
  /** The address, without asking anybody. */
  known(label: string): ItemRef | null;
  /** The address, known here, in the cache, or to `content`; `null` for a label that leads nowhere. */
  find(label: string, context: CallContext): Promise<ItemRef | null>;
  /** The label of an item, which it is given when it has none. @throws NOT_FOUND */
  labelOf(record: LiveItemRecord, context: CallContext): Promise<string>;
}

export function createLabelLookup(bus: Bus, cache: Cache): LabelLookup {
  const items = new LRUCache<string, ItemRef>({ max: MAX_LABELS });
  const ask = createSharedCalls(bus, resolveLabel);
  const give = createSharedCalls(bus, labelItem);

  return {
    known: (label) => items.get(label) ?? null,
    async find(label, context) {
      const cached = items.get(label) ?? (await cache.itemAtHost(label));
      const item = cached ?? (await ask(label, { label }, context)).item;
      if (item === null) return null;
      items.set(label, item);
      if (cached === null) await cache.keepHost(label, item);
      return item;
    },
    async labelOf({ label, namespace, id }, context) {
      const address = { namespace, id };
      const given = label ?? (await give(`${namespace}/${id}`, address, context)).record.label;
      if (given === undefined) throw new Error('an item was given no label');
      // The reader who is led there comes next, mostly to this very gateway.
      items.set(given, address);
      return given;
    },
  };
}

/** Domains that a gateway knows the items of, and names that it knows to be none: about 20 MB each. */
const MAX_DOMAINS = 50_000;

/** How long the answer that nobody holds a name is cached, in ms. */
const UNHELD_MS = 5_000;

/**
 * Finds items by the domains of their owners. The item found may have lost the domain: the caller checks that in the item's
 * record, and calls `ask` if so.
 */
export interface DomainLookup {
  /** The name in a request's Host that somebody could hold; `null` for the service's own, and where there are none. */
  nameIn(host: string | null): string | null;
  /** The item, without asking anybody: `null` for a name that nobody holds, `undefined` when that is not known. */
  known(domain: string): ItemRef | null | undefined;
  /** The item, known to the cache or to `content`. */
  find(domain: string, context: CallContext): Promise<ItemRef | null>;
  /** The item as `content` has it, and whether the record of the domain is in place. */
  ask(domain: string, context: CallContext): Promise<{ item: ItemRef; isVerified: boolean } | null>;
}

/** @param settings `null`: owners bring no domains */
export function createDomainLookup(
  settings: CustomDomainSettings | null,
  bus: Bus,
  cache: Cache,
): DomainLookup {
  const items = new LRUCache<string, ItemRef>({ max: MAX_DOMAINS });
  const unheld = new LRUCache<string, true>({ max: MAX_DOMAINS, ttl: UNHELD_MS });
  const callContent = createSharedCalls(bus, resolveDomain);
  const ownHosts = new Set<string>();
  if (settings !== null) {
    ownHosts.add(new URL(settings.own.baseUrl).host);
    if (settings.own.contentHost !== null) ownHosts.add(settings.own.contentHost);
  }

  /** Names that no owner can claim are never asked for, such as those of an internal network. */
  const isPublic = (name: string): boolean => {
    const { isIcann, isPrivate } = publicSuffixes().parse(name, { allowPrivateDomains: true });
    return isIcann === true || isPrivate === true;
  };

  const ask: DomainLookup['ask'] = async (domain, context) => {
    const { holder } = await callContent(domain, { domain }, context);
    if (holder === null) {
      unheld.set(domain, true);
      // The item may be gone without the cache having been told.
      if (items.delete(domain)) await cache.forgetHost(domain);
      return null;
    }
    const { isVerified, ...item } = holder;
    items.set(domain, item);
    await cache.keepHost(domain, item);
    return { item, isVerified };
  };

  return {
    nameIn(host) {
      if (settings === null || host === null || ownHosts.has(host)) return null;
      const name = domainIn(host);
      if (name === null || ownHosts.has(name)) return null;
      return items.has(name) || isPublic(name) ? name : null;
    },
    known: (domain) => items.get(domain) ?? (unheld.has(domain) ? null : undefined),
    async find(domain, context) {
      const cached = await cache.itemAtHost(domain);
      if (cached === null) return (await ask(domain, context))?.item ?? null;
      items.set(domain, cached);
      return cached;
    },
    ask,
  };
}
