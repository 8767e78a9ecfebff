import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Looks up all addresses of a name. */
export type Resolve = (host: string) => Promise<string[]>;

export const resolveHost: Resolve = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);

/** Public by its number, and within Azure the machine's own agent. */
const NOT_PUBLIC = new Set(['168.63.129.16']);

/** Whether an address is one of the public internet: neither private, loopback, link-local, CGNAT nor of another special use. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return parsed.range() === 'unicast' && !NOT_PUBLIC.has(parsed.toString());
}

/**
 * The address that a host is to be reached at. All of its addresses must be public, or who controls the name could lead the server
 * into its own network. The caller connects to this very address: another look-up could have another answer.
 * @throws Error when it has none, or one that is not public
 */
export async function publicAddressOf(
  hostname: string,
  { allowPrivate, resolve }: { allowPrivate: boolean; resolve: Resolve },
): Promise<string> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) === 0 ? await resolve(host) : [host];
  const refused = addresses.find((address) => !isPublicAddress(address));
  if (refused !== undefined && !allowPrivate)
    throw new Error(`${hostname} has the address ${refused}, which is not public`);
  const [first] = addresses;
  if (first === undefined) throw new Error(`${hostname} has no address`);
  return first;
}
