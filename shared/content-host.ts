import { createRequire } from 'node:module';

type PublicSuffixes = typeof import('tldts');

/**
 * The issue of a CONTENT_BASE_URL beside a BASE_URL, as the end of a message that names both; `null`: they may be used
 * together. A hosted page that sets cookies for the service's visitors can make every request of theirs too large (431).
 * @param content an address; with `*.` in front of its host it stands for all hosts below that
 * @param mayBeRelated whether the operator means the hosts to share a registrable domain
 */
export function contentHostIssue(
  content: string,
  baseUrl: string | null,
  mayBeRelated: boolean,
): string | null {
  const isWildcard = content.includes('://*.');
  if (content.replace('://*.', '://').includes('*'))
    return 'no `*` but in front, as https://*.example.com has it';
  if (baseUrl === null) return null;
  if (new URL(content).host === new URL(baseUrl).host) return 'another host than BASE_URL, or to be left out';
  if (isWildcard && !isApart(new URL(content).hostname.slice(2), new URL(baseUrl).hostname))
    return "a domain that is neither above nor below BASE_URL's host";
  return mayBeRelated || !canShareCookies(baseUrl, content.replace('://*.', '://item.'))
    ? null
    : 'another registrable domain than BASE_URL, or hosted pages can set cookies for the service; ALLOW_RELATED_CONTENT_HOST=true says that this is meant';
}

/**
 * Whether hosts below a domain can set no cookies for the service's host, and it none for them. Browsers take none for
 * `localhost` as a whole.
 */
const isApart = (domain: string, host: string): boolean =>
  domain === 'localhost' || (host !== domain && !host.endsWith(`.${domain}`) && !domain.endsWith(`.${host}`));

/**
 * Whether pages of one address can set cookies that the other one gets: both have the same host, whatever the port, or
 * the same registrable domain, which is a public suffix and one label more (RFC 6265, section 5.3; publicsuffix.org,
 * with its private part, as browsers go by it).
 */
function canShareCookies(one: string, other: string): boolean {
  const [host, otherHost] = [new URL(one).hostname, new URL(other).hostname];
  if (host === otherHost) return true;
  // The list takes 11 MB of memory, so only who has two hosts loads it.
  const { getDomain } = createRequire(import.meta.url)('tldts') as PublicSuffixes;
  const domain = getDomain(host, { allowPrivateDomains: true });
  return domain !== null && domain === getDomain(otherHost, { allowPrivateDomains: true });
}
