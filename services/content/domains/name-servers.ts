import { Resolver } from 'node:dns/promises';
import { within } from '../../../shared/deadline.ts';
import { CHALLENGE_LABEL, CHALLENGE_PREFIX } from '../../../shared/domain-names.ts';
import { errorCode } from '../../../shared/error-code.ts';

/** Longest that a question and its repetition may take, in ms. */
const ANSWER_LIMIT_MS = 4_000;

/** Wait for one answer, and tries with each server. */
const RESOLVER = { timeout: 1_500, tries: 2 };

/** Errors that say that there is no such record, and not that nobody could tell. */
const NO_RECORD = new Set(['ENOTFOUND', 'ENODATA', 'NXDOMAIN']);

/** Addresses of a name, of both families. */
interface Addresses {
  known: string[];
  /** Whether there are no others: both questions were answered. */
  areAll: boolean;
}

/** Questions about domains. */
export interface NameServers {
  /** The tokens in the records of a domain; `null`: no answer came, or none to rely on. */
  tokensOf(domain: string): Promise<ReadonlySet<string> | null>;
  /** Whether a domain leads to this service; `null`: nobody could tell. */
  leadsHere(domain: string): Promise<boolean | null>;
}

/**
 * Asks name servers, each question anew.
 * @param servers addresses with or without a port; none: those of the system
 * @param target the host of this service, whose addresses a domain has to have
 */
export function createNameServers(servers: readonly string[], target: string): NameServers {
  // One that is asked to cancel takes its other questions along, so each has its own.
  const ask = async <T>(question: (resolver: Resolver) => Promise<T>, nothing: T): Promise<T | null> => {
    const resolver = new Resolver(RESOLVER);
    if (servers.length > 0) resolver.setServers(servers);
    try {
      return await within(question(resolver), ANSWER_LIMIT_MS, () => new Error('no answer in time'));
    } catch (error) {
      return NO_RECORD.has(errorCode(error) ?? '') ? nothing : null;
    } finally {
      resolver.cancel();
    }
  };

  const addressesOf = async (name: string): Promise<Addresses> => {
    const [four, six] = await Promise.all([
      ask((resolver) => resolver.resolve4(name), []),
      ask((resolver) => resolver.resolve6(name), []),
    ]);
    return { known: [...(four ?? []), ...(six ?? [])], areAll: four !== null && six !== null };
  };

  return {
    async tokensOf(domain) {
      const records = await ask((resolver) => resolver.resolveTxt(`${CHALLENGE_LABEL}.${domain}`), []);
      if (records === null) return null;
      const texts = records.map((parts) => parts.join('').trim());
      return new Set(
        texts
          .filter((text) => text.startsWith(CHALLENGE_PREFIX))
          .map((text) => text.slice(CHALLENGE_PREFIX.length)),
      );
    },
    async leadsHere(domain) {
      const [own, theirs] = await Promise.all([addressesOf(target), addressesOf(domain)]);
      if (theirs.known.some((address) => own.known.includes(address))) return true;
      return own.areAll && theirs.areAll ? false : null;
    },
  };
}
