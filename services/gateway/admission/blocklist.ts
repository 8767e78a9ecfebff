import { BlockList, isIP } from 'node:net';
import { type BlockedClients, readBlocklist } from '../../../shared/contracts/blocklist.ts';
import { call } from '../../../shared/contracts/call.ts';
import { steadyNow } from '../../../shared/deadline.ts';
import { errors } from '../../../shared/errors.ts';
import { newRequestId } from '../../../shared/ids.ts';
import type { Logger } from '../../../shared/logger.ts';
import type { Bus } from '../../../shared/ports/bus.ts';
import { createFreshSingleFlight } from '../../../shared/single-flight.ts';
import { senderOf } from '../http/client.ts';
import type { RequestContext } from '../http/request-context.ts';

/** Pause between two looks at the list, in ms. With the look itself, a change is known within two seconds. */
const POLL_MS = 1_000;

/**
 * Time for one look at the list, in ms. The first one has that of the operation: requests wait for it, and services that have just
 * started are slow.
 */
const READ_MS = 900;

/** Clients that the operator has blocked, as this gateway knows them. */
export interface Blocklist {
  /** Resolves when the client may create and change items. @throws CLIENT_BLOCKED; UNAVAILABLE while the list is not known */
  admit(context: RequestContext): Promise<void>;
  /** Whether `admit` would refuse a client; also while this gateway does not know the list yet. */
  mayRefuse(clientIp: string, userAgent: string | null): boolean;
  /** Reads the list anew: this gateway has just changed it. A failure is left to the next look. */
  refresh(): Promise<void>;
  stop(): void;
}

/**
 * Looks at the list once a second: nobody who creates or changes waits for it, but in the first moment after a start. While
 * `content` does not answer, the list that was read last holds; a gateway that has read none yet admits nobody.
 */
export function createBlocklist(bus: Bus, log: Logger): Blocklist {
  let matches: BlockMatcher = createBlockMatcher([]);
  let revision: number | null = null;
  let isAway = false;
  const share = createFreshSingleFlight<void>();

  const read = async (): Promise<void> => {
    const limitMs = revision === null ? readBlocklist.timeoutMs : READ_MS;
    const context = { requestId: newRequestId(), deadline: steadyNow() + limitMs };
    const found = await call(bus, readBlocklist, { known: revision }, context);
    if (found.entries === null) return;
    matches = createBlockMatcher(found.entries);
    revision = found.revision;
  };
  const refresh = () =>
    share('', async () => {
      try {
        await read();
        isAway = false;
      } catch (error) {
        const meanwhile =
          revision === null
            ? 'until it is, nobody may create or change anything'
            : 'what was read last holds';
        if (!isAway) log.warn({ error }, `the blocklist cannot be read: ${meanwhile}`);
        isAway = true;
      }
    });
  const polling = setInterval(() => void refresh(), POLL_MS);
  polling.unref();

  return {
    refresh,
    async admit(context) {
      if (revision === null) await refresh();
      if (revision === null) throw errors.unavailable('the blocklist is not known yet');
      const { clientIp, userAgent } = senderOf(context);
      if (matches(clientIp, userAgent, Date.now())) throw errors.clientBlocked();
    },
    mayRefuse: (clientIp, userAgent) => revision === null || matches(clientIp, userAgent, Date.now()),
    stop: () => clearInterval(polling),
  };
}

/** Whether an entry of the blocklist fits a client at that moment (ms since the epoch). */
type BlockMatcher = (clientIp: string, userAgent: string | null, now: number) => boolean;

const family = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/**
 * Finds the block of an address. `BlockList` of Node.js looks all addresses and networks up at once. Networks with an end or a
 * pattern are then looked at one by one, but only for a client that lies in one of them. Patterns without a network are looked at
 * one by one for everybody.
 */
export function createBlockMatcher(entries: readonly BlockedClients[]): BlockMatcher {
  const isPlain = ({ uaPattern, expiresAt }: BlockedClients) => uaPattern === null && expiresAt === null;
  const plain = networksOf(entries.filter((one) => isPlain(one)));
  const others = entries.filter((one) => !isPlain(one));
  const bound = networksOf(others);
  const anywhere = others.filter(({ ip }) => ip === null).map(conditionsOf);
  const within = others
    .filter(({ ip }) => ip !== null)
    .map((one) => ({ ...conditionsOf(one), networks: networksOf([one]) }));
  return (clientIp, userAgent, now) => {
    const isAddress = isIP(clientIp) !== 0;
    const isIn = (networks: BlockList): boolean => isAddress && networks.check(clientIp, family(clientIp));
    if (isIn(plain)) return true;
    const agent = (userAgent ?? '').toLowerCase();
    const applies = ({ expiresAt, parts }: Conditions): boolean =>
      (expiresAt === null || expiresAt > now) && (parts === null || hasInOrder(agent, parts));
    if (anywhere.some(applies)) return true;
    return isIn(bound) && within.some((one) => applies(one) && isIn(one.networks));
  };
}

/** When an entry applies to a client of its networks. */
interface Conditions {
  expiresAt: number | null;
  /** See `partsOf`; `null`: whatever the User-Agent is. */
  parts: string[] | null;
}

const conditionsOf = ({ uaPattern, expiresAt }: BlockedClients): Conditions => ({
  expiresAt,
  parts: uaPattern === null ? null : partsOf(uaPattern),
});

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
