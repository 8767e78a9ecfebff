import type { CallContext } from '../contracts/operation.ts';
import type { ContentOf } from './content.ts';
import type { Kind } from './item.ts';
import type { Finding } from './quarantine.ts';

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
