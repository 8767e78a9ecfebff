import type { AuditAction } from '../../../../../shared/contracts/audit.ts';
import type { ReportStatus } from '../../../../../shared/contracts/reports.ts';
import { CONTENT_BLOCK_DAYS, type TakedownTarget } from '../../../../../shared/contracts/takedowns.ts';
import { type ItemRef, itemKey } from '../../../../../shared/items/item.ts';
import type { PerchError } from '../../../../../shared/perch-error.ts';
import { createBlockMatcher } from '../../../admission/blocklist.ts';
import type { Sender } from '../../../http/client.ts';
import { asPerchError } from '../../../http/error-status.ts';
import type {
  Acting,
  BlockInput,
  ItemReviewInput,
  OperatorActions,
  OwnerTermsInput,
  ReviewInput,
  Takedown,
} from '../operator-actions.ts';
import type { Words } from './words.ts';

/** One thing that a form of the console asks for. */
export interface Step<Reply = unknown> {
  /** Name of the action in the audit trail. */
  action: AuditAction;
  /** Whether the operator is asked once more: it cannot be undone, or shuts somebody out. */
  asks?: true;
  /** Says in words what will be done. */
  describe(words: Words): string;
  /** The items that it takes down, where those are many. */
  targets?: TakedownTarget;
  /** Says what it does to the operator who asks for it; `null`: nothing. */
  warns?(words: Words, operator: Sender): string | null;
  perform(actions: OperatorActions, acting: Acting): Promise<Reply>;
  /** Its outcome, where that is another than the action says. */
  outcomeOf?(reply: Reply): Outcome;
  /** Names the text that says why it failed, where the steps behind it are done all the same; `null`: they are not. */
  failsAlone?(error: PerchError): 'contentNotBlocked' | null;
  /** Whether it settles a report, so that nobody looks at it again: only when all else is done. */
  settles?: true;
}

/** An action that was done, or something else that came of one, as the texts name them (`actions.done`). */
export type Outcome =
  | AuditAction
  | 'show-item-quarantined'
  | 'take-down-item-gone'
  | 'take-down-many-partly'
  | 'take-down-many-not-begun'
  | 'take-down-many-none'
  | 'take-down-many-only-blocked'
  | 'review-reported-item-partly'
  | 'review-reported-item-none';

export const takeDownItem = (item: ItemRef, blockContent: boolean): Step<{ gone: boolean }> => ({
  action: 'take-down-item',
  asks: true,
  describe: ({ texts, number }) =>
    blockContent
      ? texts.actions.takeDownForGood(itemKey(item), number(CONTENT_BLOCK_DAYS))
      : texts.actions.takeDown(itemKey(item)),
  // The second of two clicks finds nothing, and its owner may have been faster: then nobody knows the content to block.
  async perform(actions, acting) {
    try {
      await actions.takeDown(acting, item, blockContent);
      return { gone: false };
    } catch (error) {
      if (blockContent || !isGone(asPerchError(error))) throw error;
      return { gone: true };
    }
  },
  outcomeOf: ({ gone }) => (gone ? 'take-down-item-gone' : 'take-down-item'),
  failsAlone: (error) => (blockContent && isGone(error) ? 'contentNotBlocked' : null),
});

export const setHidden = (item: ItemRef, hidden: boolean): Step<{ quarantined: boolean }> => ({
  action: hidden ? 'hide-item' : 'show-item',
  describe: ({ texts }) => texts.actions[hidden ? 'hide' : 'show'](itemKey(item)),
  perform: (actions, acting) => actions.setHidden(acting, item, hidden),
  outcomeOf: ({ quarantined }) =>
    hidden ? 'hide-item' : quarantined ? 'show-item-quarantined' : 'show-item',
});

export const releaseItem = (item: ItemRef, findingId: string): Step => ({
  action: 'release-item',
  describe: ({ texts }) => texts.actions.release(itemKey(item)),
  perform: (actions, acting) => actions.release(acting, item, findingId),
});

export const startRescan = (): Step => ({
  action: 'start-rescan',
  describe: ({ texts }) => texts.actions.rescan,
  perform: (actions, acting) => actions.startRescan(acting),
});

export const takeDownOwner = (ownerId: string): Step => ({
  action: 'take-down-owner',
  asks: true,
  describe: ({ texts }) => texts.actions.takeDownOwner(shortened(ownerId)),
  targets: { by: 'owner', value: ownerId },
  perform: (actions, acting) => actions.takeDownOwner(acting, ownerId),
});

export const setOwnerTerms = (terms: OwnerTermsInput): Step => ({
  action: 'set-owner-terms',
  describe: ({ texts }) => texts.actions.setTerms(shortened(terms.ownerId)),
  perform: (actions, acting) => actions.setTerms(acting, terms),
});

export const takeDownMany = (takedown: Takedown): Step<{ removed: number; left: number }> => ({
  action: 'take-down-many',
  asks: true,
  describe({ texts, number }) {
    const { target, limit, blockContent } = takedown;
    const removal = texts.actions.takeDownMany[target.by](shortened(target.value), number(limit));
    return blockContent || target.by === 'content'
      ? `${removal} ${texts.actions.blockToo(number(CONTENT_BLOCK_DAYS))}`
      : removal;
  },
  targets: takedown.target,
  perform: (actions, acting) => actions.takeDownMany(acting, takedown),
  outcomeOf({ removed, left }) {
    if (left > 0) return removed > 0 ? 'take-down-many-partly' : 'take-down-many-not-begun';
    if (removed > 0) return 'take-down-many';
    return takedown.target.by === 'content' ? 'take-down-many-only-blocked' : 'take-down-many-none';
  },
});

export const blockContent = (hash: string, reason: string): Step => ({
  action: 'block-content',
  asks: true,
  describe: ({ texts, number }) => texts.actions.blockContent(shortened(hash), number(CONTENT_BLOCK_DAYS)),
  perform: (actions, acting) => actions.blockContent(acting, hash, reason),
});

export const unblockContent = (hash: string): Step => ({
  action: 'unblock-content',
  describe: ({ texts }) => texts.actions.unblockContent(shortened(hash)),
  perform: (actions, acting) => actions.unblockContent(acting, hash),
});

export const resendNotification = (id: string): Step => ({
  action: 'resend-notification',
  describe: ({ texts }) => texts.actions.resend(id),
  perform: (actions, acting) => actions.resend(acting, id),
});

export const blockClients = (clients: BlockInput): Step => ({
  action: 'block-clients',
  asks: true,
  describe({ texts: { actions }, day }) {
    const { ip, uaPattern, expiresAt } = clients;
    const agent = uaPattern === null ? null : actions.agent(uaPattern);
    const who = ip === null || agent === null ? (ip ?? agent ?? '') : actions.both(ip, agent);
    return actions.block(who, expiresAt === null ? null : day(expiresAt));
  },
  warns({ texts }, { clientIp, userAgent }) {
    const fits = createBlockMatcher([{ ...clients, expiresAt: null }]);
    return fits(clientIp, userAgent, 0) ? texts.actions.blocksYou(clientIp) : null;
  },
  perform: (actions, acting) => actions.block(acting, clients),
});

export const endBlock = (id: string): Step => ({
  action: 'end-block',
  describe: ({ texts }) => texts.actions.endBlock(id),
  perform: (actions, acting) => actions.endBlock(acting, id),
});

/** Without a status it keeps the note alone. */
export const reviewReport = (review: ReviewInput & { status?: ReportStatus }): Step => ({
  action: 'review-report',
  settles: true,
  describe: ({ texts: { actions, statuses } }) =>
    review.status === undefined ? actions.note : actions.review(statuses[review.status]),
  perform: (actions, acting) => actions.review(acting, review),
});

/** Reviews all new reports of an item. */
export const reviewItem = (review: ItemReviewInput): Step<{ reviewed: number; left: number }> => ({
  action: 'review-reported-item',
  settles: true,
  describe: ({ texts: { actions, statuses } }) =>
    actions.reviewItem(itemKey(review), statuses[review.status]),
  perform: (actions, acting) => actions.reviewItem(acting, review),
  outcomeOf({ reviewed, left }) {
    if (left > 0) return 'review-reported-item-partly';
    return reviewed > 0 ? 'review-reported-item' : 'review-reported-item-none';
  },
});

/** The beginning of a hash; anything shorter stays as it is. */
const shortened = (text: string): string => (/^[0-9a-f]{32,64}$/.test(text) ? `${text.slice(0, 16)}…` : text);

const isGone = ({ code }: PerchError): boolean => code === 'NOT_FOUND';
