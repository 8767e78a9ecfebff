import { createHmac, timingSafeEqual } from 'node:crypto';
import { type ItemRef, itemKey } from '../../../shared/items/item.ts';
import type { LiveRoute } from '../../../shared/items/route.ts';

const NAME = 'perch_unlock';
const LIFE_SECONDS = 3600;

/** Signs and checks the cookie that spares a person from typing an item's password on every visit. */
export interface UnlockCookies {
  /** A Set-Cookie value: HttpOnly, SameSite=Lax, for this item's path only, good for an hour. */
  issue(route: LiveRoute): string;
  opens(route: LiveRoute, cookies: string | null): boolean;
  /**
   * The same as part of an address: what a sandboxed page or a player asks for carries no cookie. Good for an hour, and
   * for this item only; it stands in logs masked.
   */
  ticket(route: LiveRoute): string;
  opensByTicket(route: LiveRoute, ticket: string): boolean;
}

export function createUnlockCookies(secret: string, secure: boolean): UnlockCookies {
  // Created anew under the same address, an item has another hash: an old cookie does not open it.
  const sign = (route: LiveRoute, until: number): string =>
    createHmac('sha256', secret)
      .update(`unlock ${itemKey(route)} ${route.passwordHash} ${until}`)
      .digest('base64url');

  const ticket = (route: LiveRoute): string => {
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

  return {
    ticket,
    opensByTicket,
    issue(route) {
      const attributes = `Path=${cookiePath(route)}; Max-Age=${LIFE_SECONDS}; HttpOnly; SameSite=Lax`;
      return `${NAME}=${ticket(route)}; ${attributes}${secure ? '; Secure' : ''}`;
    },
    opens(route, cookies) {
      // There may be several: a page of a related host can set one of that name, too.
      return [...(cookies ?? '').matchAll(COOKIE)].some(([, given = '']) => opensByTicket(route, given));
    },
  };
}

const TICKET = /^(\d{1,12})\.([\w-]{20,100})$/;
const COOKIE = new RegExp(`(?:^|;\\s*)${NAME}=(\\d{1,12}\\.[\\w-]{20,100})(?=;|$)`, 'g');

const cookiePath = ({ namespace, id }: ItemRef): string => `/${namespace}/${id}`;
