import { createRequire } from 'node:module';
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';

type PublicSuffixes = typeof import('tldts');

/** Label in front of a domain, where its TXT record is asked for. */
export const CHALLENGE_LABEL = '_perch-challenge';

/** Text in front of the token, in the record. */
export const CHALLENGE_PREFIX = 'perch-verification=';

/** Most characters of a name without a dot at its end (RFC 1035, section 2.3.4). */
const MAX_CHARACTERS = 253;

/** Most characters of a domain here: the name of its record has to fit, too. */
export const DOMAIN_CHARACTERS = MAX_CHARACTERS - `${CHALLENGE_LABEL}.`.length;

const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/** The list takes 11 MB of memory, so it is loaded when it is first asked. */
export const publicSuffixes = (): PublicSuffixes => createRequire(import.meta.url)('tldts') as PublicSuffixes;

/** Hosts that belong to the operator. */
export interface OwnHosts {
  /** BASE_URL. */
  baseUrl: string;
  /** The host of CONTENT_BASE_URL, or the domain below which it has its hosts; `null`: there is none. */
  contentHost: string | null;
}

/** A name as it is compared and kept: lower case, punycode, without a dot at its end; `null` for what is no name at all. */
function normalizedName(text: string): string | null {
  const trimmed = text.trim().replace(/\.$/, '');
  // The URL parser behind `domainToASCII` makes something else of these, or nothing.
  if (trimmed === '' || /[\s/\\:@?#[\]%*]/.test(trimmed)) return null;
  const name = domainToASCII(trimmed).toLowerCase();
  return name === '' ? null : name;
}

/**
 * A domain that an owner may claim, or the issue of what was sent, as the end of a message: a name below a public suffix
 * that has nothing to do with the operator's hosts. A page of a related one could set cookies that the service gets.
 */
export function claimableDomain(text: string, own: OwnHosts): { domain: string } | { issue: string } {
  if (/^\[.*\]$/.test(text.trim()) || isIP(text.trim()) !== 0)
    return { issue: 'must be a name, not an IP address.' };
  const domain = normalizedName(text);
  if (domain === null)
    return {
      issue: 'must be the name of a host alone, such as "www.example.org": without scheme, port and path.',
    };
  if (isIP(domain) !== 0) return { issue: 'must be a name, not an IP address.' };
  if (domain.length > DOMAIN_CHARACTERS) return { issue: `has at most ${DOMAIN_CHARACTERS} characters.` };
  const labels = domain.split('.');
  if (!labels.every((label) => LABEL.test(label)))
    return {
      issue: 'has parts of 1 to 63 letters, digits and hyphens, none with a hyphen at an end.',
    };
  if (labels.length < 2) return { issue: 'must have a dot in it, such as "www.example.org".' };
  if (isOwn(domain, own)) return { issue: 'belongs to this service. Use a domain of your own.' };
  const { parse } = publicSuffixes();
  const { isIcann, isPrivate, publicSuffix } = parse(domain, { allowPrivateDomains: true });
  if (isIcann !== true && isPrivate !== true)
    return { issue: 'must be a public domain: its ending is not in the Public Suffix List.' };
  if (publicSuffix === domain) return { issue: 'is one that others register domains below.' };
  return { domain };
}

/** Whether a host is one of the operator's, lies below one, or shares a registrable domain with one. */
function isOwn(domain: string, { baseUrl, contentHost }: OwnHosts): boolean {
  const { getDomain } = publicSuffixes();
  return [new URL(baseUrl).hostname, contentHost].some((host) => {
    if (host === null) return false;
    if (domain === host || domain.endsWith(`.${host}`)) return true;
    const registrable = getDomain(host, { allowPrivateDomains: true });
    return registrable !== null && registrable === getDomain(domain, { allowPrivateDomains: true });
  });
}

const HOST = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z0-9-]*[a-z][a-z0-9-]*$/;

/** The name in a Host header, as it is compared: lower case, without a port and a dot at its end. */
export const nameIn = (host: string): string =>
  host
    .toLowerCase()
    .replace(/:\d{0,5}$/, '')
    .replace(/\.$/, '');

/** The name in a Host header that could be a claimed domain; `null` for an IP address, and for a single label. */
export function domainIn(host: string): string | null {
  const name = nameIn(host);
  return name.length <= DOMAIN_CHARACTERS && HOST.test(name) ? name : null;
}
