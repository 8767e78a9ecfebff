import { beforeEach, expect, test } from 'bun:test';
import pino from 'pino';
import { createDeliveries, forgetNotifications } from '../../services/analytics/notifications/deliver.ts';
import * as waiting from '../../services/analytics/notifications/waiting.ts';
import { createOutbox, MAX_WAITING } from '../../shared/notifications/outbox.ts';
import { useDatabase } from '../use-database.ts';

const database = useDatabase();

const NOW = Date.UTC(2026, 10, 21);
const webhook = { url: 'https://hooks.example/', secret: 'whsec_AAAA', allowPrivate: false };
const outbox = createOutbox({ webhook, email: null, firstRetryMs: 1_000, attempts: 2 }, null);

const tell = (key: string): Promise<void> => {
  const data = { by: 'network', target: '203.0.113.0/24', items: [] } as const;
  return outbox.tell(database.sql, { type: 'items.taken_down', data: { ...data, items: [] } }, key, NOW);
};
const take = (now: number, limit = 5) =>
  waiting.takeDue(database.sql, ['webhook'], { now, until: now + 60_000, limit });
const all = (state: 'waiting' | 'sent' | 'dead') => waiting.countNotifications(database.sql, state);

beforeEach(async () => {
  await database.sql`truncate notifications`;
});

test('told twice with one key it is one message, also at once', async () => {
  await Promise.all([1, 2, 3, 4].map(() => tell('one')));
  expect(await all('waiting')).toBe(1);
});

test('of many processes each takes other messages, and none is taken twice while its lease lasts', async () => {
  for (let n = 0; n < 40; n++) await tell(`key ${n}`);
  const taken = (await Promise.all(Array.from({ length: 20 }, () => take(NOW)))).flat();
  expect(taken).toHaveLength(40);
  expect(new Set(taken.map(({ id }) => id)).size).toBe(40);
  expect(await take(NOW + 59_999)).toEqual([]);
});

test('after the death of its sender another goes on, and the outcome of the first one changes nothing', async () => {
  await tell('one');
  const [first] = await take(NOW);
  const [second] = await take(NOW + 60_000);
  if (first === undefined || second === undefined) throw new Error('nothing was taken');
  expect([first.id === second.id, first.attempts, second.attempts]).toEqual([true, 1, 2]);
  await waiting.noteSent(database.sql, first, NOW);
  expect([await all('sent'), await all('waiting')]).toEqual([0, 1]);
  await waiting.noteFailed(database.sql, second, { error: 'away', dueAt: NOW, now: NOW });
  expect([await all('dead'), await all('waiting')]).toEqual([1, 0]);
  expect(await take(NOW + 10 ** 9)).toEqual([]);
  expect(await waiting.reviveNotification(database.sql, first.id, 2, NOW)).toBe(true);
  expect(await waiting.reviveNotification(database.sql, first.id, 2, NOW)).toBe(false);
  expect((await take(NOW))[0]).toMatchObject({ id: first.id, attempts: 3, allowed: 4 });
});

test('a message that waits is tried again soon, also when more attempts are allowed since it was left', async () => {
  const { sql } = database;
  await tell('one');
  // The host has an address that is not public.
  const refused = { ...webhook, url: 'http://127.0.0.1/' };
  const settings = { webhook: refused, email: null, firstRetryMs: 1_000, attempts: 16 };
  const deps = { sql, clock: { now: () => NOW }, log: pino({ level: 'silent' }) };
  const counts = { sent: () => undefined, failed: () => undefined };
  const round = { urgent: true, intervalMs: 1_000 };
  for (const [, sendDue] of createDeliveries(deps, settings, counts)) await sendDue(round);
  const [message] = await waiting.listNotifications(sql, 'waiting', { offset: 0, limit: 1 });
  expect(message?.lastError).toContain('is not public');
  expect(message?.dueAt).toBeLessThanOrEqual(NOW + 1_000);
});

test('what waits for a channel that is not set any more is given up, and may be sent again', async () => {
  const { sql } = database;
  await tell('one');
  const HOUR_MS = 3_600_000;
  const lookAt = (now: number, settings: { webhook: typeof webhook | null }) =>
    forgetNotifications({ sql, clock: { now: () => now } }, { ...settings, email: null });
  await lookAt(NOW + HOUR_MS, { webhook: null });
  await lookAt(NOW + HOUR_MS + 1, { webhook });
  expect(await all('waiting')).toBe(1);
  await lookAt(NOW + HOUR_MS + 1, { webhook: null });
  expect([await all('waiting'), await all('dead')]).toEqual([0, 1]);
  expect(await waiting.readQueue(sql, [])).toEqual({ waiting: 0, dead: 0, oldestAt: null });
  const [message] = await waiting.listNotifications(sql, 'dead', { offset: 0, limit: 1 });
  expect(message?.lastError).toBe('its channel is not set');
  expect(await waiting.reviveNotification(sql, message?.id ?? '', 2, NOW)).toBe(true);
});

test('the queue is bounded, and settled messages are forgotten', async () => {
  const { sql } = database;
  await sql`
    insert into notifications (id, channel, type, payload, created_at, due_at, allowed)
    select 'old ' || n, 'webhook', 'report.created', '{}', ${NOW}, ${NOW}, 1 from generate_series(1, ${MAX_WAITING}::int) n`;
  await tell('one more');
  expect(await all('waiting')).toBe(MAX_WAITING);
  expect(await waiting.readQueue(sql, ['webhook'])).toEqual({
    waiting: MAX_WAITING,
    dead: 0,
    oldestAt: NOW,
  });
  await sql`update notifications set state = 'sent', settled_at = ${NOW} where id <> 'old 1'`;
  await sql`update notifications set state = 'dead', settled_at = ${NOW} where id = 'old 2'`;
  const times = { sentBefore: NOW + 1, deadBefore: NOW, limit: MAX_WAITING };
  expect(await waiting.forgetSettled(sql, times)).toBe(MAX_WAITING - 2);
  expect([await all('waiting'), await all('dead')]).toEqual([1, 1]);
});
