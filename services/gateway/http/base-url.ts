import type { Config } from '../../../shared/config.ts';

/** Settings that decide which address links begin with. */
export type AddressSettings = Pick<Config, 'baseUrl' | 'trustProxy' | 'port'>;

/** A host and its port, as links may have it: no user, no path, no white space. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9._-]{0,252})|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * The address that links begin with, without a slash at its end: BASE_URL, else that by which the request came. Behind
 * TRUST_PROXY it is the one that the proxies forward. What differs from request to request must not be kept for others.
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
