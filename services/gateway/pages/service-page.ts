import { LANGUAGE_HEADERS } from '../http/language.ts';
import type { RequestContext } from '../http/request-context.ts';
import { withoutSwitch } from './page.ts';

interface ServicePageOptions {
  status?: number;
  headers?: Record<string, string>;
  /** Path of a hosted file that the page shows. */
  shown?: string;
  /** Path of a page of the service that it frames. */
  framed?: string;
  /** Path of a folder of pictures that the page shows. */
  pictures?: string;
  /** Whether it is sandboxed; left out, it is on the content host. */
  sandboxed?: boolean;
  /** See `servicePagePolicy`. */
  formsLeadTo?: string | null;
}

/**
 * One of the service's own pages, under their strict policy. On the content host, which hosted pages share, the page is
 * sandboxed: otherwise a hosted page could read it in a window that it has opened. On an item's own host its links and assets
 * are the service's: there every path is the item's.
 */
export function servicePage(
  context: Pick<RequestContext, 'request' | 'onContentHost' | 'itemHost' | 'baseUrl'>,
  markup: string,
  options: ServicePageOptions = {},
): Response {
  const { status = 200, headers = {}, shown = null, framed = null, formsLeadTo = null } = options;
  const { pictures = null, sandboxed = context.onContentHost } = options;
  const { request, itemHost, baseUrl } = context;
  const host = request.headers.get('host');
  const service = itemHost === null ? host : new URL(baseUrl).host;
  const policy = servicePagePolicy({ host, service, shown, framed, formsLeadTo, pictures });
  const whole = request.method === 'POST' ? withoutSwitch(markup) : markup;
  // Texts in a page have no quotation marks of their own, so only attributes match.
  const shownMarkup =
    itemHost === null ? whole : whole.replace(/ (href|src|action)="\/(?!\/)/g, ` $1="${baseUrl}/`);
  return new Response(shownMarkup, {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': `${policy}${sandboxed ? `; ${OWN_SANDBOX}` : ''}`,
      'X-Frame-Options': 'DENY',
      'Referrer-Policy': 'same-origin',
      'Cache-Control': 'no-cache',
      Vary: `Accept, Sec-Fetch-Dest, ${LANGUAGE_HEADERS}`,
      ...headers,
    },
  });
}

/** Sandbox of the service's own pages on the content host, where they would share an origin with hosted ones. */
const OWN_SANDBOX =
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
