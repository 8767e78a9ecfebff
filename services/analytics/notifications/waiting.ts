import type { Notification, NotificationState } from '../../../shared/contracts/notifications.ts';
import type { Query } from '../../../shared/items/sql.ts';

export type Channel = 'webhook' | 'email';

/** A message that this process alone may send until its lease is over. */
export interface Taken {
  id: string;
  channel: Channel;
  payload: string;
  /** Attempts so far, this one included: the outcome of an earlier one changes nothing any more. */
  attempts: number;
  allowed: number;
}

/** Takes messages that are due, for some channels, and leaves them to nobody else until a moment. */
export async function takeDue(
  sql: Query,
  channels: Channel[],
  { now, until, limit }: { now: number; until: number; limit: number },
): Promise<Taken[]> {
  return await sql<Taken[]>`
    update notifications set due_at = ${until}, attempts = attempts + 1
    where id in (
      select id from notifications where state = 'waiting' and due_at <= ${now} and channel = any(${channels})
      order by due_at limit ${limit} for update skip locked
    ) returning id, channel, payload, attempts, allowed`;
}

/** Notes that a message was sent. */
export async function noteSent(sql: Query, { id, attempts }: Taken, now: number): Promise<void> {
  await sql`
    update notifications set state = 'sent', settled_at = ${now}, last_error = null
    where id = ${id} and attempts = ${attempts} and state = 'waiting'`;
}

/** Notes why an attempt has failed: the next one is at `dueAt`, unless it was the last. */
export async function noteFailed(
  sql: Query,
  { id, attempts, allowed }: Taken,
  { error, dueAt, now }: { error: string; dueAt: number; now: number },
): Promise<void> {
  const isLast = attempts >= allowed;
  await sql`
    update notifications set last_error = ${error}, due_at = ${dueAt},
      state = ${isLast ? 'dead' : 'waiting'}, settled_at = ${isLast ? now : null}
    where id = ${id} and attempts = ${attempts} and state = 'waiting'`;
}

/** Gives a message that was given up as many attempts again. Returns whether there was one. */
export async function reviveNotification(
  sql: Query,
  id: string,
  attempts: number,
  now: number,
): Promise<boolean> {
  const { count } = await sql`
    update notifications
    set state = 'waiting', due_at = ${now}, settled_at = null, allowed = notifications.attempts + ${attempts}
    where id = ${id} and state = 'dead'`;
  return count > 0;
}

export async function listNotifications(
  sql: Query,
  state: NotificationState | null,
  { offset, limit }: { offset: number; limit: number },
): Promise<Notification[]> {
  return await sql<Notification[]>`
    select id, channel, type, state, attempts, created_at, due_at, settled_at, last_error from notifications
    where true ${state === null ? sql`` : sql`and state = ${state}`}
    order by created_at desc, id desc offset ${offset} limit ${limit}`;
}

export async function countNotifications(sql: Query, state: NotificationState | null): Promise<number> {
  const [found] = await sql<Array<{ count: number }>>`
    select count(*) as count from notifications where true ${state === null ? sql`` : sql`and state = ${state}`}`;
  return found?.count ?? 0;
}

/** How many messages for these channels wait and were given up, and when the oldest that waits was left. */
export async function readQueue(
  sql: Query,
  channels: readonly Channel[],
): Promise<{ waiting: number; dead: number; oldestAt: number | null }> {
  const [found] = await sql<Array<{ waiting: number; dead: number; oldestAt: number | null }>>`
    select count(*) filter (where state = 'waiting') as waiting, count(*) filter (where state = 'dead') as dead,
      min(created_at) filter (where state = 'waiting') as oldest_at
    from notifications where state <> 'sent' and channel = any(${channels}::text[])`;
  return found ?? { waiting: 0, dead: 0, oldestAt: null };
}

/** Gives up messages for other channels than these that were due before a moment: nobody sends them. They may be sent again later. */
export async function giveUpUnsent(
  sql: Query,
  channels: readonly Channel[],
  { dueBefore, now, limit }: { dueBefore: number; now: number; limit: number },
): Promise<number> {
  const { count } = await sql`
    update notifications set state = 'dead', settled_at = ${now}, last_error = 'its channel is not set'
    where id in (
      select id from notifications
      where state = 'waiting' and channel <> all(${channels}::text[]) and due_at < ${dueBefore}
      limit ${limit} for update skip locked
    )`;
  return count;
}

/** Forgets messages that were sent before one moment, or given up before another. */
export async function forgetSettled(
  sql: Query,
  { sentBefore, deadBefore, limit }: { sentBefore: number; deadBefore: number; limit: number },
): Promise<number> {
  const { count } = await sql`
    delete from notifications where id in (
      select id from notifications
      where state = 'sent' and settled_at < ${sentBefore} or state = 'dead' and settled_at < ${deadBefore}
      limit ${limit} for update skip locked
    )`;
  return count;
}
