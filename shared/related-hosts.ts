import { createRequire } from 'node:module';

type PublicSuffixes = typeof import('tldts');

/**
 * Whether pages of one address can set cookies that the other one gets: both have the same host, whatever the port, or
 * the same registrable domain, which is a public suffix and one label more (RFC 6265, section 5.3; publicsuffix.org,
 * with its private part, as browsers go by it).
 */
export function canShareCookies(one: string, other: string): boolean {
  const [host, otherHost] = [new URL(one).hostname, new URL(other).hostname];
  if (host === otherHost) return true;
  // The list takes 11 MB of memory, so only who has two hosts loads it.
  const { getDomain } = createRequire(import.meta.url)('tldts') as PublicSuffixes;
  const domain = getDomain(host, { allowPrivateDomains: true });
  return domain !== null && domain === getDomain(otherHost, { allowPrivateDomains: true });
}
