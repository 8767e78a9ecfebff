import type { ItemHostSettings } from '../../../shared/config/hosts.ts';
import type { Config } from '../../../shared/config.ts';
import { nameIn } from '../../../shared/domain-names.ts';
import type { DeliveryMode } from '../../../shared/items/delivery-mode.ts';

/** Settings that decide which address links begin with. */
export type AddressSettings = Pick<Config, 'baseUrl' | 'trustProxy' | 'port'>;

/** A host and its port, as links may have it: no user, no path, no white space. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9._-]{0,252})|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * The address that links begin with, without a slash at its end: BASE_URL, else that by which the request came. Behind
 * TRUST_PROXY it is the one that the proxies forward. An address that differs from request to request must not be kept for others.
 */
export function baseUrlOf({ headers }: Pick<Request, 'headers'>, settings: AddressSettings): string {
  const { baseUrl, trustProxy, port } = settings;
  if (baseUrl !== null) return baseUrl;
  const forwarded = (name: string): string | null =>
    trustProxy === 0 ? null : forwardedBy(headers.get(name), trustProxy);
  const host = forwarded('x-forwarded-host') ?? headers.get('host') ?? '';
  const scheme = forwarded('x-forwarded-proto')?.toLowerCase() === 'https' ? 'https' : 'http';
  return HOST.test(host) ? `${scheme}://${host.toLowerCase()}` : `http://localhost:${port}`;
}

/** Ports that addresses leave out. */
const DEFAULT_PORTS: Record<string, string> = { 'http:': '80', 'https:': '443' };

/** Whether a Host header names the host and the port of an address. Case, the scheme's own port and a dot at the end do not matter. */
export function isHostOf(host: string | null, address: URL | null): boolean {
  if (host === null || address === null || nameIn(host) !== nameIn(address.hostname)) return false;
  const asked = /:(\d{1,5})$/.exec(host)?.[1] ?? '';
  return (asked === DEFAULT_PORTS[address.protocol] ? '' : asked) === address.port;
}

/** All of a request that `baseUrlOf` looks at, in one text: requests with the same one have the same base address. */
export const addressedAs = (headers: Headers, { baseUrl, trustProxy }: AddressSettings): string | null => {
  const host = headers.get('host');
  if (baseUrl !== null || trustProxy === 0) return host;
  return `${host} ${headers.get('x-forwarded-host')} ${headers.get('x-forwarded-proto')}`;
};

/** The entry that the outermost of so many proxies has appended to a list; the first of a shorter one. */
function forwardedBy(list: string | null, proxies: number): string | null {
  const entries = list?.split(',').map((entry) => entry.trim()) ?? [];
  return entries[Math.max(0, entries.length - proxies)] || null;
}

/** The host of its own by which a request came to an item. */
export type ItemHost = {
  /** Scheme and host, without a slash at the end. */
  origin: string;
} & (
  | {
      by: 'label';
      /** The label of the item, or what else stands in front of the items' domain. */
      label: string;
    }
  | {
      by: 'domain';
      /** The domain of its owner's. */
      domain: string;
    }
);

/** A request, as far as it tells by which address its client came. */
interface Addressed {
  /** The address that links begin with, without a slash at its end. */
  readonly baseUrl: string;
}

/** The hosts that items have of their own, each below one domain by a label. */
export interface ItemHosts {
  /** Whether items whose owner asks for neither are served there. */
  byDefault: boolean;
  /**
   * The item's host that a request came to, by whatever port, with a dot at its end or without. With CONTENT_BASE_URL every name
   * below its domain is one, and that itself, though no item may have it. `null` for every other host.
   */
  hostOf(context: Addressed & { readonly request: Request }): ItemHost | null;
  /** The label in the name of an item's host, without a port; `null` for every other name. */
  labelIn(hostname: string): string | null;
  /** The origin of the host with a label; `null` where a client that came by this address could not reach it. */
  originOf(context: Addressed, label: string): string | null;
  /** Whether an origin, as a header names it, is that of an item's host. */
  isItemOrigin(origin: string): boolean;
  /** Where an item is served to clients that came by this address. */
  modeOf(context: Addressed, item: AskedMode): DeliveryMode;
}

/** The mode that the owner of an item has asked for, if any. */
export interface AskedMode {
  deliveryMode?: DeliveryMode | null;
}

/** As `newItemLabel` makes them (`shared/ids.ts`). */
const LABEL = '[a-z0-9]{26}';
const LABEL_ALONE = new RegExp(`^${LABEL}$`);
const LABEL_IN_FRONT = new RegExp(`^(${LABEL})\\.(.+)$`);

/** Whether what stands in front of the items' domain can be the label of one. */
export const isLabel = (text: string): boolean => LABEL_ALONE.test(text);

/** @param settings `null`: there are none */
export function createItemHosts(settings: ItemHostSettings | null): ItemHosts {
  const byDefault = settings?.byDefault ?? false;
  const domain = settings?.domain ?? null;

  const originOf: ItemHosts['originOf'] = ({ baseUrl }, label) => {
    if (domain !== null) return `${domain.scheme}://${label}.${domain.host}`;
    const [scheme = '', host = ''] = baseUrl.split('://');
    return settings !== null && nameIn(host) === 'localhost' ? `${scheme}://${label}.${host}` : null;
  };

  const domainName = settings === null ? null : domain === null ? 'localhost' : nameIn(domain.host);

  const labelIn: ItemHosts['labelIn'] = (hostname) => {
    const [, label, rest = ''] = LABEL_IN_FRONT.exec(hostname.toLowerCase()) ?? [];
    return label !== undefined && rest === domainName ? label : null;
  };

  /**
   * The part of a Host in front of the items' domain: empty for the domain itself, `null` for names that are not below it. At
   * localhost only labels count, as the service may be there as well.
   */
  const inFrontOfDomain = (host: string): string | null => {
    const name = nameIn(host);
    if (domainName === null || domainName === 'localhost') return labelIn(name);
    if (name === domainName) return '';
    return name.endsWith(`.${domainName}`) ? name.slice(0, -domainName.length - 1) : null;
  };

  return {
    byDefault,
    labelIn,
    originOf,
    hostOf(context) {
      const host = context.request.headers.get('host');
      if (host === null || settings === null) return null;
      const label = inFrontOfDomain(host);
      if (label === null) return null;
      const scheme = context.baseUrl.startsWith('https:') ? 'https' : 'http';
      const origin = domain === null ? `${scheme}://${host.toLowerCase()}` : originOf(context, label);
      return origin === null ? null : { by: 'label', label, origin };
    },
    isItemOrigin: (origin) => labelIn(nameIn(URL.parse(origin)?.host ?? '')) !== null,
    modeOf(context, { deliveryMode }) {
      const mode = deliveryMode ?? (byDefault ? 'subdomain' : 'path');
      return mode === 'subdomain' && originOf(context, '') !== null ? 'subdomain' : 'path';
    },
  };
}

/** The origin of a domain of an owner's, without a slash at its end: it has the scheme and the port of BASE_URL. */
export function domainOrigin(baseUrl: string, domain: string): string {
  const { protocol, port } = new URL(baseUrl);
  return `${protocol}//${domain}${port === '' ? '' : `:${port}`}`;
}
