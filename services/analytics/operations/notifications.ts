import { recordDone } from '../../../shared/audit/audit-trail.ts';
import type { CallContext } from '../../../shared/call-context.ts';
import type * as contract from '../../../shared/contracts/notifications.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { errors } from '../../../shared/errors.ts';
import { writeInTime } from '../../../shared/items/write-in-time.ts';
import type { AnalyticsDependencies } from '../dependencies.ts';
import * as waiting from '../notifications/waiting.ts';

/** A part of the messages to the operator, and how many there are. */
export async function listNotifications(
  { sql }: Pick<AnalyticsDependencies, 'sql'>,
  { state, ...page }: InputOf<typeof contract.listNotifications>,
): Promise<ReplyOf<typeof contract.listNotifications>> {
  const [notifications, total] = await Promise.all([
    waiting.listNotifications(sql, state, page),
    waiting.countNotifications(sql, state),
  ]);
  return { notifications, total };
}

/** Sends a message that was given up again. @throws NOT_FOUND when it was not; TIMEOUT */
export async function resendNotification(
  deps: Pick<AnalyticsDependencies, 'sql' | 'clock'>,
  attempts: number,
  { id, actor }: InputOf<typeof contract.resendNotification>,
  context: CallContext,
): Promise<ReplyOf<typeof contract.resendNotification>> {
  return await writeInTime(deps, context, 'a message', async (tx) => {
    const now = deps.clock.now();
    if (!(await waiting.reviveNotification(tx, id, attempts, now))) throw errors.notificationNotFound(id);
    await recordDone(tx, context, 'resend-notification', id, actor, now);
    return {};
  });
}
