/** The origin of a domain of an owner's, without a slash at its end: it has the scheme and the port of BASE_URL. */
export function domainOrigin(baseUrl: string, domain: string): string {
  const { protocol, port } = new URL(baseUrl);
  return `${protocol}//${domain}${port === '' ? '' : `:${port}`}`;
}
