import { createHmac, timingSafeEqual } from 'node:crypto';
import { nanoid } from 'nanoid';
import { itemKey } from '../../../shared/items/item.ts';
import type { LiveItemRecord } from '../../../shared/items/item-record.ts';
import type { Cache, WindowRule } from '../../../shared/ports/cache.ts';

const LIFE_SECONDS = 60;

/** Uses of a ticket are counted for as long as it could be good. */
const USES: WindowRule = { name: 'entry-tickets', limit: 1, seconds: LIFE_SECONDS + 1 };

const TICKET = /^(\d{1,12})\.([\w-]{21})\.([\w-]{43})$/;

/**
 * Tickets that bring a reader, who has shown an item's password on the service's host, to the item's own host. One opens
 * the item once and within a minute: its address stays in histories and logs of proxies.
 */
export interface EntryTickets {
  issue(record: LiveItemRecord): string;
  /** Whether a ticket opens the item; it does not a second time. */
  redeem(record: LiveItemRecord, ticket: string): Promise<boolean>;
}

export function createEntryTickets(secret: string, cache: Pick<Cache, 'hit'>): EntryTickets {
  const sign = (record: LiveItemRecord, until: number, nonce: string): string =>
    createHmac('sha256', secret)
      .update(`entry ${itemKey(record)} ${record.passwordHash} ${until} ${nonce}`)
      .digest('base64url');
  return {
    issue(record) {
      const until = Math.floor(Date.now() / 1000) + LIFE_SECONDS;
      const nonce = nanoid();
      return `${until}.${nonce}.${sign(record, until, nonce)}`;
    },
    async redeem(record, ticket) {
      const [, until = '', nonce = '', signature = ''] = TICKET.exec(ticket) ?? [];
      if (Number(until) * 1000 <= Date.now()) return false;
      const right = Buffer.from(sign(record, Number(until), nonce));
      if (!timingSafeEqual(right, Buffer.from(signature))) return false;
      return (await cache.hit(USES, nonce)).hits === USES.limit;
    },
  };
}
