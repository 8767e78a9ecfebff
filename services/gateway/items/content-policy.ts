import type { ItemRecordOf } from '../../../shared/items/item-record.ts';
import { LINE_LINKS_SHA256 } from './line-links.ts';
import type { Variant } from './rendered-pages.ts';
import { TOP_BAR_SCRIPT_SHA256 } from './top-bar.ts';

/**
 * Isolation (specification 23.1): hosted content never runs with the service's origin. A sandbox without `allow-same-origin`
 * gives it an opaque one: no storage, no cookies, no credentials.
 */
const SANDBOX = 'sandbox allow-forms allow-popups allow-modals allow-downloads';

/** Active types that are data here: shown, never run. */
const SCRIPTLESS = /^(?:image\/svg\+xml|text\/xml|application\/xml)\b/;

/** Our own rendering runs no script but the top bar's, which may ask for the events of the page, and that of links to lines. */
const RENDERED = `${SANDBOX} allow-scripts; default-src 'none'; connect-src 'self'; style-src 'unsafe-inline'; img-src http: https: data:; script-src 'sha256-${TOP_BAR_SCRIPT_SHA256}' 'sha256-${LINE_LINKS_SHA256}'; base-uri 'none'; form-action 'none'`;

/** A page's own content, or our rendering of it; `separateHost`: pages have a host of their own (CONTENT_BASE_URL). */
export function pagePolicy(record: ItemRecordOf<'html'>, variant: Variant, separateHost: boolean): string {
  const { contentType, viewKey } = record.content;
  if (variant !== 'raw' && (viewKey !== null || SCRIPTLESS.test(contentType))) return RENDERED;
  return contentPolicy(contentType, separateHost && record.passwordHash === null);
}

/** Our rendering of a text that people have uploaded. */
export const renderedPolicy = (): string => RENDERED;

/**
 * For bytes as people have uploaded them. `ownOrigin`: on a host of their own they may keep its origin, unless they are
 * protected: another page of that origin could look into an item that a person has unlocked.
 */
export function contentPolicy(contentType: string, ownOrigin: boolean): string {
  if (SCRIPTLESS.test(contentType)) return SANDBOX;
  return `${SANDBOX} allow-scripts${ownOrigin ? ' allow-same-origin' : ''}`;
}

/** A document format that browsers show in a viewer of their own, which a sandbox would keep from starting. */
const VIEWED = /^application\/pdf\b/;

/** For a file as it was uploaded. */
export function filePolicy(contentType: string, ownOrigin: boolean): string {
  if (VIEWED.test(contentType))
    return "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
  return contentPolicy(contentType, ownOrigin);
}
