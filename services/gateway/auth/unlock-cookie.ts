import { createHmac, timingSafeEqual } from 'node:crypto';
import { type ItemRef, itemKey } from '../../../shared/items/item.ts';
import type { LiveItemRecord } from '../../../shared/items/item-record.ts';
import type { RequestContext } from '../http/request-context.ts';

const NAME = 'perch_unlock';
const LIFE_SECONDS = 3600;

/** Signs and checks the cookie that spares a person from typing an item's password on every visit. */
export interface UnlockCookies {
  /**
   * A Set-Cookie value: HttpOnly, SameSite=Lax, for this item's path only, good for an hour. `isSecure`: for https alone.
   * @param path of the item: `/` on a host of its own
   */
  issue(record: LiveItemRecord, isSecure: boolean, path?: string): string;
  opens(record: LiveItemRecord, cookies: string | null): boolean;
  /**
   * A signed ticket that opens the item as part of an address, because requests of a sandboxed page or a player carry no
   * cookie. Valid for this item only, and for an hour; a reader who already has a valid ticket or cookie gets the value of
   * that one, so that it never lasts longer. Logs mask it.
   */
  ticket(record: LiveItemRecord, shown: ShownProof): string;
  opensByTicket(record: LiveItemRecord, ticket: string): boolean;
}

/** The ticket and cookies of a request, which may open an item. */
export interface ShownProof {
  /** Of its query. */
  ticket: string | null;
  /** Its Cookie header. */
  cookies: string | null;
}

export const shownProof = (context: RequestContext): ShownProof => ({
  ticket: context.query().get('ticket'),
  cookies: context.request.headers.get('cookie'),
});

export function createUnlockCookies(secret: string): UnlockCookies {
  // The password hash is part of the signature: a cookie of an earlier item at this address does not open the new one.
  const sign = (record: LiveItemRecord, until: number): string =>
    createHmac('sha256', secret)
      .update(`unlock ${itemKey(record)} ${record.passwordHash} ${until}`)
      .digest('base64url');

  const newTicket = (record: LiveItemRecord): string => {
    const until = Math.floor(Date.now() / 1000) + LIFE_SECONDS;
    return `${until}.${sign(record, until)}`;
  };
  const opensByTicket = (record: LiveItemRecord, given: string): boolean => {
    const [, until = '', signature = ''] = TICKET.exec(given) ?? [];
    if (Number(until) * 1000 <= Date.now()) return false;
    const right = Buffer.from(sign(record, Number(until)));
    const claimed = Buffer.from(signature);
    return claimed.length === right.length && timingSafeEqual(claimed, right);
  };

  // There may be several: a page of a related host can set one of that name, too.
  const rightCookie = (record: LiveItemRecord, cookies: string | null): string | null => {
    const values = Array.from((cookies ?? '').matchAll(COOKIE), ([, given = '']) => given);
    return values.find((given) => opensByTicket(record, given)) ?? null;
  };

  return {
    opensByTicket,
    ticket(record, { ticket, cookies }) {
      if (ticket !== null && opensByTicket(record, ticket)) return ticket;
      return rightCookie(record, cookies) ?? newTicket(record);
    },
    issue(record, isSecure, path = cookiePath(record)) {
      const attributes = `Path=${path}; Max-Age=${LIFE_SECONDS}; HttpOnly; SameSite=Lax`;
      return `${NAME}=${newTicket(record)}; ${attributes}${isSecure ? '; Secure' : ''}`;
    },
    opens: (record, cookies) => rightCookie(record, cookies) !== null,
  };
}

const TICKET = /^(\d{1,12})\.([\w-]{20,100})$/;
const COOKIE = new RegExp(`(?:^|;\\s*)${NAME}=(\\d{1,12}\\.[\\w-]{20,100})(?=;|$)`, 'g');

const cookiePath = ({ namespace, id }: ItemRef): string => `/${namespace}/${id}`;
