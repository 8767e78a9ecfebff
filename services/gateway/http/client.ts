import { isIP, isIPv6 } from 'node:net';
import type { Server } from 'bun';
import { copyOfSlice, headerText } from './text.ts';

/** Knows which address a request came from. */
export type AddressBook = Pick<Server<unknown>, 'requestIP'>;

/**
 * The client's address: the socket's, or with `trustProxy` = n the n-th from the right of X-Forwarded-For, which the
 * outermost trusted proxy wrote. Entries further left are the client's own claim. With fewer entries than n, the socket's
 * address is used. The result is in canonical form, so that one client is one address.
 */
export function clientAddress(request: Request, server: AddressBook, trustProxy: number): string {
  // To ask for the socket's address takes Bun longer than to read the header.
  return (
    forwardedAddress(request.headers, trustProxy) ??
    canonicalAddress(server.requestIP(request)?.address ?? 'unknown')
  );
}

/** The address that the outermost of so many proxies has seen; `null`: there are none, or they did not say. */
function forwardedAddress(headers: Headers, proxies: number): string | null {
  if (proxies === 0) return null;
  const forwarded = headers.get('x-forwarded-for')?.split(',') ?? [];
  const claimed = withoutPort(forwarded.at(-proxies)?.trim() ?? '');
  if (forwarded.length < proxies || isIP(claimed) === 0) return null;
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

/** Characters of a User-Agent that are kept; the rest is cut off. */
const USER_AGENT_KEPT = 500;

/** Where a request came from, as it is stored with what it has made. */
export interface Sender {
  clientIp: string;
  userAgent: string | null;
}

export function senderOf({ request, clientIp }: { request: Request; clientIp: string }): Sender {
  // PostgreSQL's UTF-8 holds no halves of surrogate pairs; a header holds no NUL.
  return { clientIp, userAgent: userAgentOf(request.headers)?.toWellFormed() ?? null };
}

/** The client's name for itself, as far as it is kept. */
export function userAgentOf(headers: Headers): string | null {
  const text = headerText(headers, 'user-agent');
  if (text === null || text.length <= USER_AGENT_KEPT) return text;
  return copyOfSlice(text.slice(0, USER_AGENT_KEPT));
}

/** The connection of a request, as long as its answer is under way. */
export interface Connection {
  /** Whether the answer has been sent whole, or its client is gone. */
  isOver(): boolean;
  /** Closes the connection as soon as its client takes nothing for a second. */
  hurry(): void;
}

/** Bun has no event for the end of an answer, but it knows no address for a request that is over. */
export const connectionOf = (
  request: Request,
  server: Pick<Server<unknown>, 'requestIP' | 'timeout'>,
): Connection => ({
  isOver: () => server.requestIP(request) === null,
  hurry: () => server.timeout(request, 1),
});
