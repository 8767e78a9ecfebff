import { decodeHTML } from 'entities';

/** Hosts of one text at the most: few pages have more, and it bounds the work. */
const MOST_HOSTS = 10_000;

/**
 * An address with a host, wherever it stands: in an attribute, a script, a style or a line of markdown. Browsers take
 * backslashes for slashes, any number of them after a scheme, and pass over tabs and line ends within an address.
 */
const ADDRESS =
  /(?:(?:h\s{0,9}t\s{0,9}t\s{0,9}p\s{0,9}s?|w\s{0,9}s\s{0,9}s?):[\s/\\]*|(?<![/\\])[/\\]{2,})([^\s"'`<>()[\]{}|^/\\?#,;]{1,300})/gi;

/** The hosts that a page names in addresses, as browsers write them, each once: those behind entities, too. */
export function linkedHosts(text: string): Set<string> {
  const hosts = new Set<string>();
  const variants = text.includes('&') ? [text, decodeHTML(text)] : [text];
  for (const variant of variants) gather(variant, hosts);
  // Within an attribute an address may be broken over lines.
  if (/[\t\n\r][^\s"']*\./.test(text)) gather(withoutBreaks(text), hosts);
  return hosts;
}

/** The values of attributes alone, without the characters that browsers leave out of addresses. */
function withoutBreaks(text: string): string {
  const values: string[] = [];
  for (const [, double, single] of text.matchAll(/=\s*(?:"([^"]{0,4000})"|'([^']{0,4000})')/g))
    values.push(decodeHTML(double ?? single ?? '').replace(/[\t\n\r]/g, ''));
  return values.join('\n');
}

function gather(text: string, hosts: Set<string>): void {
  for (const [, authority = ''] of text.matchAll(ADDRESS)) {
    if (hosts.size >= MOST_HOSTS) return;
    const host = hostOf(authority);
    if (host !== null) hosts.add(host);
  }
}

/** The host of an authority, behind a name of a user and before a port. */
function hostOf(authority: string): string | null {
  // A sentence may end right behind an address.
  const address = `http://${authority.replace(/[.:!*_~]+$/, '')}/`;
  if (!URL.canParse(address)) return null;
  const { hostname } = new URL(address);
  return hostname.includes('.') ? hostname.replace(/\.$/, '') : null;
}
