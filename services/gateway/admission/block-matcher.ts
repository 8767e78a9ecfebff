import { BlockList, isIP } from 'node:net';
import type { BlockedClients } from '../../../shared/contracts/blocklist.ts';

/** Whether an entry of the blocklist fits a client at that moment (ms since the epoch). */
export type BlockMatcher = (clientIp: string, userAgent: string | null, now: number) => boolean;

const family = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** Of addresses and networks alone `BlockList` of Node.js looks all up at once; entries with a pattern follow one by one. */
export function createBlockMatcher(entries: readonly BlockedClients[]): BlockMatcher {
  const plain = networksOf(entries.filter((one) => one.uaPattern === null && one.expiresAt === null));
  const others = entries
    .filter((one) => one.uaPattern !== null || one.expiresAt !== null)
    .map(({ ip, uaPattern, expiresAt }) => ({
      ...{ expiresAt, networks: ip === null ? null : networksOf([{ ip }]) },
      parts: uaPattern === null ? null : partsOf(uaPattern),
    }));
  return (clientIp, userAgent, now) => {
    const isAddress = isIP(clientIp) !== 0;
    const isIn = (networks: BlockList): boolean => isAddress && networks.check(clientIp, family(clientIp));
    if (isIn(plain)) return true;
    const agent = (userAgent ?? '').toLowerCase();
    return others.some(
      ({ expiresAt, networks, parts }) =>
        (expiresAt === null || expiresAt > now) &&
        (networks === null || isIn(networks)) &&
        (parts === null || hasInOrder(agent, parts)),
    );
  };
}

function networksOf(entries: ReadonlyArray<Pick<BlockedClients, 'ip'>>): BlockList {
  const networks = new BlockList();
  for (const { ip } of entries) {
    const [address = '', bits] = (ip ?? '').split('/');
    if (isIP(address) === 0) continue;
    if (bits === undefined) networks.addAddress(address, family(address));
    else networks.addSubnet(address, Number(bits), family(address));
  }
  return networks;
}

/** The texts between the wildcards of a pattern, in lower case. */
const partsOf = (pattern: string): string[] => pattern.toLowerCase().split('*').filter(Boolean);

/** Whether a text has all parts, one behind the other. Takes time in proportion to the text, whatever the pattern. */
function hasInOrder(text: string, parts: readonly string[]): boolean {
  let from = 0;
  for (const part of parts) {
    const at = text.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return true;
}
