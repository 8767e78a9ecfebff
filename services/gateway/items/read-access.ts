import { errors } from '../../../shared/errors.ts';
import type { LiveItemRecord } from '../../../shared/items/item-record.ts';
import { isOwner } from '../auth/owner-token.ts';
import type { Passwords } from '../auth/passwords.ts';
import type { UnlockCookies } from '../auth/unlock-cookie.ts';
import { headerText } from '../http/header-text.ts';
import type { RequestContext } from '../http/request-context.ts';

export interface ReadAccess {
  /**
   * Resolves when the request may read the item: it has no password, or the request carries the password, the
   * owner's token, an unlock cookie, or a ticket
   * in its path or query.
   * @throws PASSWORD_REQUIRED, PASSWORD_WRONG, RATE_LIMITED
   */
  allow(context: RequestContext, record: LiveItemRecord, ticket?: string | null): Promise<void>;
}

export function createReadAccess(passwords: Passwords, cookies: UnlockCookies): ReadAccess {
  return {
    async allow(context, record, ticketInPath = null) {
      if (record.passwordHash === null) return;
      const ticket = ticketInPath ?? context.query().get('ticket');
      if (ticket !== null && cookies.opensByTicket(record, ticket)) return;
      if (isOwner(context, record.ownerHash)) return;
      const { headers } = context.request;
      const password = headerText(headers, 'x-password') || context.query().get('p') || '';
      if (password !== '')
        return await passwords.verify(record, record.passwordHash, password, context.clientKey);
      if (isOfReader(context) && cookies.opens(record, headers.get('cookie'))) return;
      throw errors.passwordRequired();
    },
  };
}

/**
 * The cookie is for a person who opens the item. A script or frame of another page on the same host, which the
 * browser would send the cookie for as well, does not get to read with it. An item's own host has no other pages.
 */
function isOfReader({ itemHost, request: { headers } }: RequestContext): boolean {
  if (itemHost !== null && (headers.get('sec-fetch-site') ?? 'same-origin') === 'same-origin') return true;
  const destination = headers.get('sec-fetch-dest');
  return destination === null || destination === 'document';
}
