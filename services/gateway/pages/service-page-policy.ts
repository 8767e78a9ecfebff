/** Sandbox of the service's own pages on the content host, where they would share an origin with hosted ones. */
export const OWN_SANDBOX =
  'sandbox allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-downloads';

/**
 * The service's own pages: its own files only, no inline script. Hosted content on this host is not among them, so
 * the host is named with its path instead of 'self': the one the visitor came by, which need not be BASE_URL's.
 * `shown` is the path of the one hosted file that a viewer page shows.
 */
export function servicePagePolicy(host: string | null, shown: string | null = null): string {
  const known = /^[\w.:[\]-]{1,255}$/.test(host ?? '');
  const assets = known ? `${host}/assets/` : "'none'";
  const file = known && shown !== null ? `${host}${shown}` : null;
  const media = file === null ? '' : `media-src ${file}; frame-src ${file}; object-src ${file}; `;
  return `default-src 'none'; style-src ${assets}; script-src ${assets}; img-src ${assets} ${file ?? ''} data:; ${media}connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;
}
