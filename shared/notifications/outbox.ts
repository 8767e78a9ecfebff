import { createHash } from 'node:crypto';
import type { NotificationSettings } from '../config/announcements.ts';
import type { Query } from '../items/sql.ts';
import { type AbuseEvent, emailOf, webhookBodyOf } from './messages.ts';

/** Messages of one channel that may wait; more are not taken, and nobody waits for them. */
export const MAX_WAITING = 10_000;

/** Where services leave messages for the operator; `analytics` sends them. */
export interface Outbox {
  /**
   * Leaves a message for each channel that is set up, in the transaction of what it tells of: there is never one without the
   * other. Told twice with one key it is one message.
   */
  tell(tx: Query, event: AbuseEvent, key: string, now: number): Promise<void>;
}

export function createOutbox(
  { webhook, email, attempts }: NotificationSettings,
  baseUrl: string | null,
): Outbox {
  const insert = async (
    tx: Query,
    message: { id: string; channel: 'webhook' | 'email'; type: string; payload: string },
    now: number,
  ): Promise<void> => {
    const { id, channel, type, payload } = message;
    await tx`
      insert into notifications (id, channel, type, payload, created_at, due_at, allowed)
      select ${id}, ${channel}, ${type}, ${payload}, ${now}, ${now}, ${attempts}
      where (
        select count(*) from (
          select from notifications where state = 'waiting' and channel = ${channel} limit ${MAX_WAITING}
        ) waiting
      ) < ${MAX_WAITING}
      on conflict (id) do nothing`;
  };
  return {
    async tell(tx, event, key, now) {
      const { type } = event;
      const name = createHash('sha256').update(`${type} ${key}`).digest('hex').slice(0, 24);
      if (webhook !== null)
        await insert(
          tx,
          { id: `msg_${name}`, channel: 'webhook', type, payload: webhookBodyOf(event, now) },
          now,
        );
      const mail = email === null ? null : emailOf(event, baseUrl);
      if (mail !== null)
        await insert(tx, { id: `mail_${name}`, channel: 'email', type, payload: JSON.stringify(mail) }, now);
    },
  };
}
