import { isIP } from 'node:net';
import type { OwnHosts } from '../domain-names.ts';
import type { SettingReader } from './setting-reader.ts';

/** A domain below which each item has a host of its own. */
export interface ItemHostSettings {
  /** The part of their addresses before the label, and the part behind it: domain and port. `null`: `localhost`, as the request has it. */
  domain: { scheme: 'http' | 'https'; host: string } | null;
  /** Whether items whose owner asks for neither have one. */
  byDefault: boolean;
}

/** Domains of their own that owners may have items served at. */
export interface CustomDomainSettings {
  own: OwnHosts;
  /** The host of BASE_URL, which a domain has to lead to. */
  target: string;
  /** Addresses, with or without a port, of the name servers that are asked; none: those of the system. */
  dnsServers: string[];
}

/** Hosts of items: those of CONTENT_BASE_URL; on localhost, where nothing else is set, those below it for who asks for them. */
export function itemHostsOf(content: string | null, baseUrl: string | null): ItemHostSettings | null {
  if (content?.includes('://*.')) {
    const [scheme = '', host = ''] = content.split('://*.');
    return { domain: { scheme: scheme === 'https' ? 'https' : 'http', host }, byDefault: true };
  }
  const isLocal = baseUrl === null || new URL(baseUrl).hostname === 'localhost';
  return content === null && isLocal ? { domain: null, byDefault: false } : null;
}

/** Only with BASE_URL it is known which host is the service's own: every other one may be somebody's domain. */
export function readCustomDomains(
  read: SettingReader,
  baseUrl: string | null,
  content: string | null,
): CustomDomainSettings | null {
  const isOn = read.flag('CUSTOM_DOMAINS', false);
  const listed = read.text('DNS_SERVERS');
  const dnsServers = listed?.split(/[\s,]+/).filter(Boolean) ?? [];
  if (listed !== null && !dnsServers.every(isServer))
    read.issue(
      'DNS_SERVERS',
      listed,
      'IP addresses, each with or without a port, such as 10.0.0.2, [fd00::2]:53',
    );
  if (!isOn) return null;
  if (baseUrl === null) {
    read.requireAlso('BASE_URL', 'CUSTOM_DOMAINS');
    return null;
  }
  const contentHost = content === null ? null : new URL(content.replace('://*.', '://')).hostname;
  return { own: { baseUrl, contentHost }, target: new URL(baseUrl).hostname, dnsServers };
}

const isServer = (text: string): boolean => {
  const [, six, four] = /^(?:\[([^\]]+)\](?::\d{1,5})?|([^:]+)(?::\d{1,5})?)$/.exec(text) ?? [];
  return (
    isIP(text) !== 0 || (six !== undefined && isIP(six) === 6) || (four !== undefined && isIP(four) === 4)
  );
};
