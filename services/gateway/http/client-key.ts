import { isIPv6 } from 'node:net';

/**
 * The key under which limits and budgets count a client: an IPv4 address, or the /64 network of an IPv6 address. A
 * connection is given a /64 at least, and could use any number of addresses within it.
 */
export function clientKey(address: string): string {
  // Most are IPv4, which the full check would cost a microsecond.
  if (!address.includes(':') || !isIPv6(address)) return address;
  const [, embedded] = /^::ffff:([\d.]+)$/i.exec(address) ?? [];
  if (embedded !== undefined) return embedded;
  const [front = '', back] = address.split('%')[0]?.toLowerCase().split('::') ?? [];
  const head = front === '' ? [] : front.split(':');
  const tail = back === undefined || back === '' ? [] : back.split(':');
  const zeros = back === undefined ? [] : Array(Math.max(0, 8 - head.length - tail.length)).fill('0');
  const groups = [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16).toString(16));
  return `${groups.slice(0, 4).join(':')}::/64`;
}

/** The /48 that an IPv6 client is in, which is what a site is given (RFC 6177); `null` for all others. */
export function networkOf(key: string): string | null {
  if (!key.endsWith('::/64')) return null;
  const third = key.indexOf(':', key.indexOf(':', key.indexOf(':') + 1) + 1);
  return `${key.slice(0, third)}::/48`;
}
