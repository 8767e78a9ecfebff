import { errors } from '../../../shared/errors.ts';
import type { LiveRoute } from '../../../shared/items/route.ts';
import { ownerTokenOf, ownsItem } from '../auth/owner-token.ts';
import type { Passwords } from '../auth/passwords.ts';
import type { UnlockCookies } from '../auth/unlock-cookie.ts';
import { headerText } from '../http/header-text.ts';
import type { Exchange } from '../http/request-context.ts';

export interface ReadAccess {
  /**
   * Resolves when the request may read the item: it has no password, or the request carries the password, the
   * owner's token, an unlock cookie, or a ticket
   * in its path or query.
   * @throws PASSWORD_REQUIRED, PASSWORD_WRONG, RATE_LIMITED
   */
  allow(exchange: Exchange, route: LiveRoute, ticket?: string | null): Promise<void>;
}

export function createReadAccess(passwords: Passwords, cookies: UnlockCookies): ReadAccess {
  return {
    async allow(exchange, route, ticketInPath = null) {
      if (route.passwordHash === null) return;
      const ticket = ticketInPath ?? exchange.query().get('ticket');
      if (ticket !== null && cookies.opensByTicket(route, ticket)) return;
      const token = ownerTokenOf(exchange);
      if (token !== null && ownsItem(token, route.ownerHash)) return;
      const { headers } = exchange.request;
      const password = headerText(headers, 'x-password') || exchange.query().get('p') || '';
      if (password !== '')
        return await passwords.verify(route, route.passwordHash, password, exchange.clientKey);
      if (isDocumentNavigation(headers) && cookies.opens(route, headers.get('cookie'))) return;
      throw errors.passwordRequired();
    },
  };
}

/**
 * The cookie is for a person who opens the item. A script or frame of another page on the same host, which the
 * browser would send the cookie for as well, does not get to read with it.
 */
function isDocumentNavigation(headers: Headers): boolean {
  const destination = headers.get('sec-fetch-dest');
  return destination === null || destination === 'document';
}
