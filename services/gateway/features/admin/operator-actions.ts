import { type Actor, type AuditAction, recordAttempt } from '../../../../shared/contracts/audit.ts';
import * as blocklist from '../../../../shared/contracts/blocklist.ts';
import { call } from '../../../../shared/contracts/call.ts';
import { resendNotification } from '../../../../shared/contracts/notifications.ts';
import type { InputOf, ReplyOf } from '../../../../shared/contracts/operation.ts';
import * as ownerAdmin from '../../../../shared/contracts/owner-admin.ts';
import { takeDownItem } from '../../../../shared/contracts/owners.ts';
import { hideItem } from '../../../../shared/contracts/publications.ts';
import { reviewReport, reviewReportedItem } from '../../../../shared/contracts/reports.ts';
import { releaseItem, startRescan } from '../../../../shared/contracts/scans.ts';
import * as takedowns from '../../../../shared/contracts/takedowns.ts';
import { newItemId } from '../../../../shared/ids.ts';
import { type ItemRef, itemKey } from '../../../../shared/items/item.ts';
import type { Operator } from '../../auth/admin-password.ts';
import { asPerchError } from '../../http/error-status.ts';
import type { RequestContext } from '../../http/request-context.ts';
import type { AdminDependencies } from './admitted.ts';

/** An operator's request for an action. */
export interface Acting {
  context: RequestContext;
  operator: Operator;
  /** The operator's reason, for the audit trail. */
  note?: string | null;
}

/** The operator as the audit trail names them. */
export const actorOf = ({ context, operator, note = null }: Acting): Actor => ({
  clientIp: context.clientIp,
  via: operator.session === null ? 'api' : 'console',
  note,
});

/** Everything that an operator can do, by API or console. Each leaves an entry in the audit trail, also when it fails. */
export function createOperatorActions(deps: Pick<AdminDependencies, 'bus' | 'log' | 'blocklist'>) {
  const { bus, log } = deps;

  /** The action keeps its own entry, in its transaction; a failure is kept here. */
  async function kept<T>(
    acting: Acting,
    action: AuditAction,
    target: string,
    run: (actor: Actor) => Promise<T>,
  ): Promise<T> {
    const actor = actorOf(acting);
    const { callContext } = acting.context;
    try {
      return await run(actor);
    } catch (error) {
      const outcome = asPerchError(error).code;
      acting.context.restartDeadline();
      await call(bus, recordAttempt, { action, target, outcome, actor }, callContext).catch((lost: unknown) =>
        log.error({ error: lost, action, target, outcome, ...actor }, 'an attempt is not in the audit trail'),
      );
      throw error;
    }
  }

  return {
    /** @param blockContent whether its content may not come back */
    takeDown: (acting: Acting, item: ItemRef, blockContent = false) =>
      kept(acting, 'take-down-item', itemKey(item), async (actor) => {
        const { clientIp, callContext } = acting.context;
        const { kind } = await call(
          bus,
          takeDownItem,
          { ...item, blockContent, clientIp, actor },
          callContext,
        );
        acting.context.item = { kind, ...item };
      }),
    setHidden: (acting: Acting, item: ItemRef, hidden: boolean) =>
      kept(acting, hidden ? 'hide-item' : 'show-item', itemKey(item), async (actor) => {
        const { clientIp, callContext } = acting.context;
        const { kind, quarantined = false } = await call(
          bus,
          hideItem,
          { ...item, hidden, clientIp, actor },
          callContext,
        );
        acting.context.item = { kind, ...item };
        return { kind, quarantined };
      }),
    takeDownMany: (acting: Acting, takedown: Takedown) => {
      const { context } = acting;
      if (takedown.limit === 0) return call(bus, takedowns.takeDownMany, takedown, context.callContext);
      const target = `${takedown.target.by} ${takedown.target.value}`;
      return kept({ ...acting, note: takedown.reason }, 'take-down-many', target, (actor) =>
        call(bus, takedowns.takeDownMany, { ...takedown, actor }, context.callContext),
      );
    },
    blockContent: (acting: Acting, hash: string, reason: string) =>
      kept({ ...acting, note: reason }, 'block-content', hash, (actor) =>
        call(bus, takedowns.blockContent, { hash, reason, actor }, acting.context.callContext),
      ),
    unblockContent: async (acting: Acting, hash: string): Promise<void> => {
      await kept(acting, 'unblock-content', hash, (actor) =>
        call(bus, takedowns.unblockContent, { hash, actor }, acting.context.callContext),
      );
    },
    /** Sends a message to the operator again that was given up. */
    resend: async (acting: Acting, id: string): Promise<void> => {
      await kept(acting, 'resend-notification', id, (actor) =>
        call(bus, resendNotification, { id, actor }, acting.context.callContext),
      );
    },
    /** @param findingId what the operator has seen, as the list of publications names it */
    release: (acting: Acting, item: ItemRef, findingId: string) =>
      kept(acting, 'release-item', itemKey(item), async (actor) => {
        const { clientIp, callContext } = acting.context;
        const released = await call(bus, releaseItem, { ...item, findingId, clientIp, actor }, callContext);
        acting.context.item = { kind: released.kind, ...item };
        return released;
      }),
    startRescan: (acting: Acting) =>
      kept(acting, 'start-rescan', '', (actor) =>
        call(bus, startRescan, { actor }, acting.context.callContext),
      ),
    takeDownOwner: (acting: Acting, ownerId: string) =>
      kept(acting, 'take-down-owner', ownerId, (actor) => {
        const { clientIp, callContext } = acting.context;
        return call(bus, ownerAdmin.takeDownOwner, { ownerId, clientIp, actor }, callContext);
      }),
    setTerms: (acting: Acting, terms: OwnerTermsInput) =>
      kept(acting, 'set-owner-terms', `${terms.ownerId} ${terms.tier}`, (actor) =>
        call(bus, ownerAdmin.setOwnerTerms, { ...terms, actor }, acting.context.callContext),
      ),
    /** Holds on this gateway at once, on the others within two seconds. */
    block: async (acting: Acting, clients: BlockInput): Promise<ReplyOf<typeof blocklist.addBlock>> => {
      const id = newItemId();
      const { clientIp, callContext } = acting.context;
      const note = acting.note ?? clients.reason;
      const block = await kept({ ...acting, note }, 'block-clients', clientsOf(clients), (actor) =>
        call(bus, blocklist.addBlock, { id, ...clients, blockedBy: clientIp, actor }, callContext),
      );
      await deps.blocklist.refresh();
      return block;
    },
    endBlock: async (acting: Acting, id: string): Promise<void> => {
      await kept(acting, 'end-block', id, (actor) =>
        call(bus, blocklist.removeBlock, { id, actor }, acting.context.callContext),
      );
      await deps.blocklist.refresh();
    },
    /** Reviews all new reports of an item. */
    reviewItem: (acting: Acting, { namespace, id, ...review }: ItemReviewInput) => {
      const note = acting.note ?? review.reviewerNote ?? null;
      const target = `${itemKey({ namespace, id })} ${review.status}`;
      return kept({ ...acting, note }, 'review-reported-item', target, (actor) =>
        call(bus, reviewReportedItem, { namespace, id, ...review, actor }, acting.context.callContext),
      );
    },
    review: (acting: Acting, review: ReviewInput) => {
      const note = acting.note ?? review.reviewerNote ?? null;
      return kept({ ...acting, note }, 'review-report', review.reportId, (actor) =>
        call(bus, reviewReport, { ...review, actor }, acting.context.callContext),
      );
    },
  };
}

/** See `createOperatorActions`. */
export type OperatorActions = ReturnType<typeof createOperatorActions>;

/** A takedown of several items. */
export type Takedown = Omit<InputOf<typeof takedowns.takeDownMany>, 'actor'>;
export type OwnerTermsInput = Omit<InputOf<typeof ownerAdmin.setOwnerTerms>, 'actor'>;
export type BlockInput = Pick<
  InputOf<typeof blocklist.addBlock>,
  'ip' | 'uaPattern' | 'reason' | 'expiresAt'
>;
export type ItemReviewInput = Omit<InputOf<typeof reviewReportedItem>, 'actor'>;
export type ReviewInput = Omit<InputOf<typeof reviewReport>, 'actor'>;

const clientsOf = ({ ip, uaPattern }: BlockInput): string =>
  [ip, uaPattern].filter((part) => part !== null).join(' ');
