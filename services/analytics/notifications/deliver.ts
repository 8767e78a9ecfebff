import { backoffMs } from '../../../shared/backoff.ts';
import type { NotificationSettings } from '../../../shared/config/announcements.ts';
import { messageOf } from '../../../shared/message-of.ts';
import type { Batch } from '../../../shared/sweep/batch.ts';
import type { Pass } from '../../../shared/sweep/sweeper.ts';
import type { AnalyticsDependencies } from '../dependencies.ts';
import type { DeliveryCounts } from './metrics.ts';
import { postWebhook, resolveHost } from './post-webhook.ts';
import { sendMail } from './send-mail.ts';
import {
  type Channel,
  forgetSettled,
  giveUpUnsent,
  noteFailed,
  noteSent,
  type Taken,
  takeDue,
} from './waiting.ts';

/** Messages of one channel under way at once in a process. */
const AT_ONCE = 5;

/** How long a message is left to the process that took it, in ms: longer than an attempt takes. After its death another goes on. */
const LEASE_MS = 60_000;

/** The longest pause between two attempts, in ms. */
const MAX_PAUSE_MS = 6 * 3_600_000;

/** Characters of an error that are kept. */
const ERROR_CHARACTERS = 300;

const DAY_MS = 86_400_000;
const SENT_KEPT_MS = 7 * DAY_MS;
const DEAD_KEPT_MS = 30 * DAY_MS;
const FORGOTTEN_AT_ONCE = 1_000;

/** How long after it was due a message for a channel that is not set is given up, in ms: a process of earlier settings may still send it. */
const UNSET_AFTER_MS = 3_600_000;

type Dependencies = Pick<AnalyticsDependencies, 'sql' | 'clock' | 'log'>;

/**
 * Makes a pass for each channel that is set, which sends what waits there. Each needs a sweeper of its own: one receiver that hangs
 * must not hold up the other. A message is sent by one process at a time, at least once: a process that dies behind an attempt may
 * have sent it.
 */
export function createDeliveries(
  deps: Dependencies,
  settings: NotificationSettings,
  counts: DeliveryCounts,
): Pass[] {
  const { sql, clock } = deps;
  const sendDue = async (channel: Channel): Promise<Batch> => {
    const now = clock.now();
    const taken = await takeDue(sql, [channel], { now, until: now + LEASE_MS, limit: AT_ONCE });
    await Promise.all(taken.map((message) => deliver(deps, settings, counts, message)));
    return { done: taken.length, more: taken.length === AT_ONCE };
  };
  return channelsOf(settings).map((channel) => [`send-notifications-${channel}`, () => sendDue(channel)]);
}

async function deliver(
  { sql, clock, log }: Dependencies,
  settings: NotificationSettings,
  counts: DeliveryCounts,
  message: Taken,
): Promise<void> {
  const { id, channel, attempts, allowed } = message;
  try {
    const refused = await send(settings, message, clock.now());
    if (refused.length > 0)
      log.error({ id, refused }, 'the mail server refuses recipients of EMAIL_TO; they get nothing');
  } catch (error) {
    const reason = messageOf(error);
    // Failures since the last resend, which raises `allowed` by `settings.attempts`; the difference is negative where the
    // setting has been raised since.
    const failures = Math.max(1, attempts - Math.max(0, allowed - settings.attempts));
    const pause = backoffMs(failures, { firstMs: settings.firstRetryMs, lastMs: MAX_PAUSE_MS });
    const now = clock.now();
    // Up to half of the pause less: what failed together comes back one by one.
    const dueAt = now + Math.round(pause * (1 - Math.random() / 2));
    counts.failed(channel);
    log.warn({ id, channel, attempts, reason }, 'a message to the operator could not be sent');
    await noteFailed(sql, message, { error: reason.slice(0, ERROR_CHARACTERS).toWellFormed(), dueAt, now });
    return;
  }
  counts.sent(channel);
  await noteSent(sql, message, clock.now());
}

/** Returns the recipients that will never get it. */
async function send(
  { webhook, email }: NotificationSettings,
  message: Taken,
  now: number,
): Promise<string[]> {
  if (message.channel === 'webhook' && webhook !== null)
    await postWebhook(webhook, message, { now, resolve: resolveHost });
  return message.channel === 'email' && email !== null ? await sendMail(email, message) : [];
}

/** The channels that are set. */
export const channelsOf = ({
  webhook,
  email,
}: Pick<NotificationSettings, 'webhook' | 'email'>): readonly Channel[] => [
  ...(webhook === null ? [] : (['webhook'] as const)),
  ...(email === null ? [] : (['email'] as const)),
];

/** Forgets what was sent a week ago, and what was given up a month ago; gives up what is long due for a channel that is not set. */
export async function forgetNotifications(
  { sql, clock }: Pick<Dependencies, 'sql' | 'clock'>,
  settings: Pick<NotificationSettings, 'webhook' | 'email'>,
): Promise<Batch> {
  const now = clock.now();
  const limit = FORGOTTEN_AT_ONCE;
  const given = await giveUpUnsent(sql, channelsOf(settings), {
    dueBefore: now - UNSET_AFTER_MS,
    now,
    limit,
  });
  const forgotten = await forgetSettled(sql, {
    sentBefore: now - SENT_KEPT_MS,
    deadBefore: now - DEAD_KEPT_MS,
    limit,
  });
  return { done: given + forgotten, more: given === limit || forgotten === limit };
}
