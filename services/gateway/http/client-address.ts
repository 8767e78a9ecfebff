import { isIP } from 'node:net';
import type { Server } from 'bun';
import { copyOfSlice } from './text.ts';

/** Knows which address a request came from. */
export type AddressBook = Pick<Server<unknown>, 'requestIP'>;

/**
 * The client's address: the socket's, or with `trustProxy` = n the n-th from the right of X-Forwarded-For, which the
 * outermost trusted proxy wrote. Entries further left are the client's own claim. With fewer entries than n, the socket's
 * address is used. The result is in canonical form, so that one client is one address.
 */
export function clientAddress(request: Request, server: AddressBook, trustProxy: number): string {
  const socket = canonicalAddress(server.requestIP(request)?.address ?? 'unknown');
  if (trustProxy === 0) return socket;
  const forwarded = request.headers.get('x-forwarded-for')?.split(',') ?? [];
  const claimed = withoutPort(forwarded.at(-trustProxy)?.trim() ?? '');
  if (forwarded.length < trustProxy || isIP(claimed) === 0) return socket;
  // Logs and limits keep the address: a copy, as a slice would keep the whole header, which may be long, in memory.
  return copyOfSlice(canonicalAddress(claimed));
}

/** An IPv4 address as a dual-stack socket reports it: mapped into IPv6. */
const MAPPED = /^::ffff:(\d+\.[\d.]+)$/;

/**
 * An address as the log and the limits name it: IPv6 in lower case and compressed as far as it goes (RFC 5952), without
 * a zone; an IPv4 address mapped into IPv6 (RFC 4291, section 2.5.5.2) as itself. `address` is one, or has no colon.
 */
export function canonicalAddress(address: string): string {
  if (!address.includes(':')) return address;
  const [, mapped] = MAPPED.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  // URLs have addresses in this form (WHATWG URL, section 3.5). Bun's refuse some of those that end like IPv4.
  const groups = address.replace(/%.*/, '').replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, toGroups);
  const compressed = new URL(`http://[${groups}]`).hostname.slice(1, -1);
  return compressed.replace(/^::ffff:([\da-f]+):([\da-f]+)$/, toDotted);
}

const toGroups = (_: string, ...bytes: string[]): string => {
  const [a = 0, b = 0, c = 0, d = 0] = bytes.map(Number);
  return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
};

const toDotted = (_: string, ...groups: string[]): string =>
  groups
    .slice(0, 2)
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 0xff])
    .join('.');

/** Some proxies append the port; the address is the same without it. */
function withoutPort(text: string): string {
  const [, bracketed, dotted] = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/.exec(text) ?? [];
  return bracketed ?? dotted ?? text;
}
