import { errors } from '../../../shared/errors.ts';
import { type ItemRef, itemKey } from '../../../shared/items/item.ts';
import { isSentByPage, requireOwnPage } from '../http/own-page.ts';
import { withoutSecrets } from '../http/query-masking.ts';
import type { RequestContext } from '../http/request-context.ts';
import { createSignedTokens } from './signed-tokens.ts';

/** A form's CSRF token is valid for longer than a person leaves the form open. */
const TOKEN_SECONDS = 86_400;

/** Tells the password form of an item from other pages that send its fields: ten wrong passwords lock a visitor out. */
export interface UnlockForms {
  /**
   * A CSRF token for a hidden field of the form, on the content host, where its origin does not identify it; `null`
   * elsewhere.
   */
  csrfTokenFor(context: RequestContext, item: ItemRef): string | null;
  /** @throws CROSS_SITE_FORBIDDEN when a page sends the fields that is not the form */
  requireForm(context: RequestContext, item: ItemRef, token: string): void;
}

/**
 * On the content host, the origin does not identify the form: the form is sandboxed and sends `Origin: null`, and hosted
 * pages have the host's own origin. There the form carries a CSRF token for this item and client. Answers to a script's
 * fetch (by Sec-Fetch-Dest) do not have it, so that no script sees it.
 */
export function createUnlockForms(secret: string): UnlockForms {
  const tokens = createSignedTokens(secret, 'unlock form');
  const subject = ({ clientKey }: RequestContext, item: ItemRef): string => `${itemKey(item)} ${clientKey}`;

  return {
    csrfTokenFor(context, item) {
      const destination = context.request.headers.get('sec-fetch-dest');
      if (!context.onContentHost || (destination !== null && destination !== 'document')) return null;
      return tokens.sign(subject(context, item), Math.floor(Date.now() / 1000) + TOKEN_SECONDS);
    },
    requireForm(context, item, token) {
      if (!context.onContentHost) requireOwnPage(context);
      else if (isSentByPage(context) && !tokens.verify(subject(context, item), token))
        throw errors.crossSiteForbidden();
    },
  };
}

/** The fault of the last try at a password form: the password was wrong, or too many were before it. */
export type UnlockIssue = 'wrong' | { lockedSeconds: number };

const ISSUE = 'perch_unlock_issue';
/** Only for the way back to the form: one that is opened later says nothing. */
const ISSUE_SECONDS = 10;
const ISSUE_COOKIE = new RegExp(`(?:^|;\\s*)${ISSUE}=(?:(wrong)|locked-(\\d{1,6}))(?=;|$)`);

/** A Set-Cookie value that tells the form of an item, to which the browser is led back, what was wrong. */
export const issueCookie = ({ namespace, id }: ItemRef, issue: UnlockIssue): string =>
  `${ISSUE}=${issue === 'wrong' ? issue : `locked-${issue.lockedSeconds}`}; Path=/${namespace}/${id}; Max-Age=${ISSUE_SECONDS}; HttpOnly; SameSite=Lax`;

/** The issue that a request's cookies tell. Made up ones show their sender no more than that sentence. */
export function issueOf(cookies: string | null): UnlockIssue | null {
  const [, wrong, seconds] = ISSUE_COOKIE.exec(cookies ?? '') ?? [];
  if (wrong !== undefined) return 'wrong';
  return seconds === undefined ? null : { lockedSeconds: Number(seconds) };
}

/** Longest destination. Percent-encoded, it has to fit into the address that the password form is sent to. */
const MAX_CHARACTERS = 2000;

/** Visible ASCII but for what would end the path, and the backslash, which browsers take for a slash. */
const PATH = /^[\x21-\x22\x24-\x3e\x40-\x5b\x5d-\x7e]*$/;
const DOT_SEGMENT = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i;
const QUERY = /^[\x21-\x22\x24-\x7e]*$/;

/**
 * Sanitizes the destination within an item that a reader asked for before the password form: a path below the item's own
 * and a query, percent-encoded, without secrets. `to` is untrusted input: invalid parts are dropped.
 */
export function destinationIn(to: string): string {
  const queryStart = to.indexOf('?');
  const path = queryStart < 0 ? to : to.slice(0, queryStart);
  if (path.length > MAX_CHARACTERS || !PATH.test(path) || DOT_SEGMENT.test(path)) return '';
  const query = queryStart < 0 ? '' : withoutSecrets(to.slice(queryStart + 1));
  const whole = `${path}?${query}`;
  return query === '' || whole.length > MAX_CHARACTERS || !QUERY.test(query) ? path : whole;
}

/** The address of a destination. */
export function destinationAddress({ namespace, id }: ItemRef, to: string): string {
  const destination = destinationIn(to);
  const separator = destination === '' || destination.startsWith('?') ? '' : '/';
  return `/${namespace}/${id}${separator}${destination}`;
}
