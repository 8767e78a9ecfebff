import type { LiveRoute } from '../../../shared/items/route.ts';
import type { Variant } from './page-views.ts';
import { TOP_BAR_SCRIPT_SHA256 } from './top-bar.ts';

/**
 * Isolation (design.md): hosted content never runs with the service's origin. A sandbox without `allow-same-origin`
 * gives it an opaque one: no storage, no cookies, no credentials.
 */
const SANDBOX = 'sandbox allow-forms allow-popups allow-modals allow-downloads';

/** Active types that are data here: shown, never run. */
const SCRIPTLESS = /^(?:image\/svg\+xml|text\/xml|application\/xml)\b/;

/** Our own rendering runs no script but the top bar's. */
const RENDERED = `${SANDBOX} allow-scripts; default-src 'none'; style-src 'unsafe-inline'; img-src http: https: data:; script-src 'sha256-${TOP_BAR_SCRIPT_SHA256}'; base-uri 'none'; form-action 'none'`;

/** `separateHost`: pages have a host of their own (CONTENT_BASE_URL), so they may keep its origin. */
export function contentSecurityPolicy(route: LiveRoute, variant: Variant, separateHost: boolean): string {
  if (SCRIPTLESS.test(route.page.contentType)) return variant === 'raw' ? SANDBOX : RENDERED;
  if (variant !== 'raw' && route.page.viewKey !== null) return RENDERED;
  // On a shared content host another page of that origin could look into a protected item a person has unlocked.
  const ownOrigin = separateHost && route.passwordHash === null;
  return `${SANDBOX} allow-scripts${ownOrigin ? ' allow-same-origin' : ''}`;
}

/**
 * The service's own pages: its own files only, no inline script. Hosted content on this host is not among them, so
 * the host is named with its path instead of 'self': the one the visitor came by, which need not be BASE_URL's.
 */
export function servicePagePolicy(host: string | null): string {
  const assets = /^[\w.:[\]-]{1,255}$/.test(host ?? '') ? `${host}/assets/` : "'none'";
  return `default-src 'none'; style-src ${assets}; script-src ${assets}; img-src ${assets} data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;
}
