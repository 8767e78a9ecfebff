import { createHmac, timingSafeEqual } from 'node:crypto';
import { type ItemRef, itemKey } from '../../../shared/items/item.ts';
import type { LiveRoute } from '../../../shared/items/route.ts';
import type { Exchange } from '../http/request-context.ts';

const NAME = 'perch_unlock';
const LIFE_SECONDS = 3600;

/** Signs and checks the cookie that spares a person from typing an item's password on every visit. */
export interface UnlockCookies {
  /** A Set-Cookie value: HttpOnly, SameSite=Lax, for this item's path only, good for an hour. */
  issue(route: LiveRoute): string;
  opens(route: LiveRoute, cookies: string | null): boolean;
  /**
   * The same as part of an address: what a sandboxed page or a player asks for carries no cookie. Good for this item
   * only, and for an hour; for whoever came in by a ticket or cookie no longer than that one is. It stands in logs masked.
   */
  ticket(route: LiveRoute, shown: ShownProof): string;
  opensByTicket(route: LiveRoute, ticket: string): boolean;
}

/** What a request brings along that may open an item. */
export interface ShownProof {
  /** Of its query. */
  ticket: string | null;
  /** Its Cookie header. */
  cookies: string | null;
}

export const shownProof = (exchange: Exchange): ShownProof => ({
  ticket: exchange.query().get('ticket'),
  cookies: exchange.request.headers.get('cookie'),
});

export function createUnlockCookies(secret: string, secure: boolean): UnlockCookies {
  // Created anew under the same address, an item has another hash: an old cookie does not open it.
  const sign = (route: LiveRoute, until: number): string =>
    createHmac('sha256', secret)
      .update(`unlock ${itemKey(route)} ${route.passwordHash} ${until}`)
      .digest('base64url');

  const newTicket = (route: LiveRoute): string => {
    const until = Math.floor(Date.now() / 1000) + LIFE_SECONDS;
    return `${until}.${sign(route, until)}`;
  };
  const opensByTicket = (route: LiveRoute, given: string): boolean => {
    const [, until = '', signature = ''] = TICKET.exec(given) ?? [];
    if (Number(until) * 1000 <= Date.now()) return false;
    const right = Buffer.from(sign(route, Number(until)));
    const claimed = Buffer.from(signature);
    return claimed.length === right.length && timingSafeEqual(claimed, right);
  };

  // There may be several: a page of a related host can set one of that name, too.
  const rightCookie = (route: LiveRoute, cookies: string | null): string | null => {
    const values = Array.from((cookies ?? '').matchAll(COOKIE), ([, given = '']) => given);
    return values.find((given) => opensByTicket(route, given)) ?? null;
  };

  return {
    opensByTicket,
    ticket(route, { ticket, cookies }) {
      if (ticket !== null && opensByTicket(route, ticket)) return ticket;
      return rightCookie(route, cookies) ?? newTicket(route);
    },
    issue(route) {
      const attributes = `Path=${cookiePath(route)}; Max-Age=${LIFE_SECONDS}; HttpOnly; SameSite=Lax`;
      return `${NAME}=${newTicket(route)}; ${attributes}${secure ? '; Secure' : ''}`;
    },
    opens: (route, cookies) => rightCookie(route, cookies) !== null,
  };
}

const TICKET = /^(\d{1,12})\.([\w-]{20,100})$/;
const COOKIE = new RegExp(`(?:^|;\\s*)${NAME}=(\\d{1,12}\\.[\\w-]{20,100})(?=;|$)`, 'g');

const cookiePath = ({ namespace, id }: ItemRef): string => `/${namespace}/${id}`;
