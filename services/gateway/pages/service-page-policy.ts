/** Sandbox of the service's own pages on the content host, where they would share an origin with hosted ones. */
export const OWN_SANDBOX =
  'sandbox allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-downloads';

/** The hosts of a page. */
interface PageHosts {
  /** That it is asked for on. */
  host: string | null;
  /** That has its assets, and takes its forms. */
  service: string | null;
  /** The path of the one hosted file that a viewer page shows. */
  shown: string | null;
  /** The path of the one page of the service that it frames. */
  framed: string | null;
  /** Where the answer to a form of the page may lead, beside the host itself: browsers hold redirects against the policy, too. */
  formsLeadTo: string | null;
  /** The path of a folder of pictures that the service's page shows. */
  pictures?: string | null;
}

const HOST = /^[\w.:[\]-]{1,255}$/;

/**
 * The service's own pages: its own files only, no inline script. Hosted content on this host is not among them, so
 * the host is named with its path instead of 'self': the one the visitor came by, which need not be BASE_URL's.
 */
export function servicePagePolicy(hosts: PageHosts): string {
  const { host, service, shown, framed, formsLeadTo, pictures = null } = hosts;
  const assets = HOST.test(service ?? '') ? `${service}/assets/` : "'none'";
  const known = HOST.test(host ?? '');
  const file = known && shown !== null ? `${host}${shown}` : null;
  const frame = known && framed !== null ? `frame-src ${host}${framed}; ` : '';
  const folder = HOST.test(service ?? '') && pictures !== null ? `${service}${pictures}` : null;
  const media = file === null ? frame : `media-src ${file}; frame-src ${file}; object-src ${file}; `;
  return `default-src 'none'; style-src ${assets}; script-src ${assets}; img-src ${assets} ${file ?? folder ?? ''} data:; ${media}connect-src 'self'; form-action 'self'${formsLeadTo === null ? '' : ` ${formsLeadTo}`}; base-uri 'none'; frame-ancestors 'none'`;
}

/** The frame of a preview: hosted content like any other, without an origin, which only pages of this host can frame. */
export const framePolicy = (host: string | null): string =>
  `sandbox allow-scripts allow-forms allow-popups; base-uri 'none'; frame-ancestors ${HOST.test(host ?? '') ? host : "'none'"}`;
