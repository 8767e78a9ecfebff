import { createHmac, timingSafeEqual } from 'node:crypto';
import { nanoid } from 'nanoid';
import { itemKey } from '../../../shared/items/item.ts';
import type { LiveItemRecord } from '../../../shared/items/item-record.ts';
import type { Cache, WindowRule } from '../../../shared/ports/cache.ts';
import type { RequestContext } from '../http/request-context.ts';
import { createSignedTokens } from './signed-tokens.ts';

const COOKIE = 'perch_unlock';
const COOKIE_SECONDS = 3600;
const COOKIES = new RegExp(`(?:^|;\\s*)${COOKIE}=(\\d{1,12}\\.[\\w-]{43})(?=;|$)`, 'g');

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
  /** The ticket in its query. */
  ticket: string | null;
  /** Its Cookie header. */
  cookies: string | null;
}

export const shownProof = (context: RequestContext): ShownProof => ({
  ticket: context.query().get('ticket'),
  cookies: context.request.headers.get('cookie'),
});

export function createUnlockCookies(secret: string): UnlockCookies {
  const tickets = createSignedTokens(secret, 'unlock');
  // The password hash is signed along: a cookie of an earlier item at this address does not open the new one.
  const subject = (record: LiveItemRecord): string => `${itemKey(record)} ${record.passwordHash}`;
  const newTicket = (record: LiveItemRecord): string =>
    tickets.sign(subject(record), Math.floor(Date.now() / 1000) + COOKIE_SECONDS);
  const opensByTicket = (record: LiveItemRecord, ticket: string): boolean =>
    tickets.verify(subject(record), ticket);

  // There may be several: a page of a related host can set one of that name, too.
  const rightCookie = (record: LiveItemRecord, cookies: string | null): string | null => {
    const values = Array.from((cookies ?? '').matchAll(COOKIES), ([, given = '']) => given);
    return values.find((given) => opensByTicket(record, given)) ?? null;
  };

  return {
    opensByTicket,
    ticket(record, { ticket, cookies }) {
      if (ticket !== null && opensByTicket(record, ticket)) return ticket;
      return rightCookie(record, cookies) ?? newTicket(record);
    },
    issue(record, isSecure, path = `/${record.namespace}/${record.id}`) {
      const attributes = `Path=${path}; Max-Age=${COOKIE_SECONDS}; HttpOnly; SameSite=Lax`;
      return `${COOKIE}=${newTicket(record)}; ${attributes}${isSecure ? '; Secure' : ''}`;
    },
    opens: (record, cookies) => rightCookie(record, cookies) !== null,
  };
}

const ENTRY_SECONDS = 60;

/** Uses of a ticket are counted for as long as it could be good. */
const USES: WindowRule = { name: 'entry-tickets', limit: 1, seconds: ENTRY_SECONDS + 1 };

const ENTRY_TICKET = /^(\d{1,12})\.([\w-]{21})\.([\w-]{43})$/;

/**
 * Tickets that bring a reader, who has shown an item's password on the service's host, to the item's own host. One opens
 * the item once and within a minute: its address stays in histories and logs of proxies.
 */
export interface EntryTickets {
  issue(record: LiveItemRecord): string;
  /** Whether a ticket opens the item; it does not a second time. A HEAD only looks, and does not use it up. */
  redeem(record: LiveItemRecord, ticket: string, isHead: boolean): Promise<boolean>;
}

export function createEntryTickets(secret: string, cache: Pick<Cache, 'hit' | 'peek'>): EntryTickets {
  const sign = (record: LiveItemRecord, until: number, nonce: string): string =>
    createHmac('sha256', secret)
      .update(`entry ${itemKey(record)} ${record.passwordHash} ${until} ${nonce}`)
      .digest('base64url');
  return {
    issue(record) {
      const until = Math.floor(Date.now() / 1000) + ENTRY_SECONDS;
      const nonce = nanoid();
      return `${until}.${nonce}.${sign(record, until, nonce)}`;
    },
    async redeem(record, ticket, isHead) {
      const [, until = '', nonce = '', signature = ''] = ENTRY_TICKET.exec(ticket) ?? [];
      if (Number(until) * 1000 <= Date.now()) return false;
      const right = Buffer.from(sign(record, Number(until), nonce));
      if (!timingSafeEqual(right, Buffer.from(signature))) return false;
      if (isHead) return (await cache.peek(USES, nonce)).hits < USES.limit;
      return (await cache.hit(USES, nonce)).hits === USES.limit;
    },
  };
}
