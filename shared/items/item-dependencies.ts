import type { CallContext } from '../call-context.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { Bus } from '../ports/bus.ts';
import type { Cache } from '../ports/cache.ts';
import type { ContentOf } from './content.ts';
import type { Kind } from './item.ts';
import type { ItemTurns } from './item-turns.ts';
import type { NewItemWriter } from './new-item-writer.ts';
import type { Finding } from './quarantine.ts';
import type { Database } from './sql.ts';

/** Dependencies of the operations on items of every kind. */
export interface ItemDependencies {
  sql: Database;
  turns: ItemTurns;
  cache: Cache;
  /** Gateways hear over it what has changed. */
  bus: Pick<Bus, 'publish'>;
  clock: Clock;
  log: Logger;
  /** Says that the cache missed a change, so that it is told again soon. */
  announcementMissed(): void;
  /** Milliseconds in a day of a time to live. */
  ttlDayMs: number;
  /** Milliseconds a blob without an item is kept. */
  blobGraceMs: number;
  /** Makes items that wait at a time in one commit; `null` where each has a transaction of its own. */
  newItems: NewItemWriter | null;
  /** Looks through new content; `null` where nothing is looked through. */
  check: ContentCheck | null;
}

/** How an item with some content begins. */
export interface Admission {
  /** `null`: everybody may see it; else it begins in quarantine. */
  finding: Finding | null;
  /** Whether the content is put into the queue of those to be looked through. */
  queue: boolean;
}

/** Looks through new content before anybody else sees it. */
export interface ContentCheck {
  /**
   * Asked before the transaction that makes or replaces an item.
   * @throws LINK_BLOCKED for content that is not taken at all; UNAVAILABLE while the scanner is away
   */
  admit(kind: Kind, content: ContentOf[Kind], context: CallContext): Promise<Admission>;
}
