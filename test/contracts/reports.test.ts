import { expect, test } from 'bun:test';
import pino from 'pino';
import { submitReport } from '../../services/analytics/operations/submit-report.ts';
import { insertReport } from '../../services/analytics/repository/reports.ts';
import { systemClock } from '../../shared/clock.ts';
import { errors } from '../../shared/errors.ts';
import { createItemTurns } from '../../shared/items/item-turns.ts';
import type { Cache } from '../../shared/ports/cache.ts';
import { soon } from '../call-context.ts';
import { useDatabase } from '../use-database.ts';

const database = useDatabase();

const report = {
  reportId: 'report-1',
  reportedUrl: 'http://localhost/public/bad',
  category: 'spam' as const,
  description: 'It advertises things.',
  reporterEmail: null,
  namespace: 'public',
  id: 'bad',
  reporterIp: '192.0.2.1',
  reporterUserAgent: 'MyAgent/1.0',
};

test('a report is kept once, with the time of its first attempt, also when attempts cross', async () => {
  const now = Date.UTC(2026, 10, 21);
  expect(await insertReport(database.sql, report, now)).toBe(now);
  expect(
    await Promise.all([1, 2, 3].map((later) => insertReport(database.sql, report, now + later))),
  ).toEqual([now, now, now]);
  expect([...(await database.sql`select * from reports`)]).toEqual([
    {
      id: 'report-1',
      reportedUrl: 'http://localhost/public/bad',
      category: 'spam',
      description: 'It advertises things.',
      reporterEmail: null,
      namespace: 'public',
      itemId: 'bad',
      status: 'new',
      receivedAt: now,
      reviewerNote: null,
      reviewedAt: null,
      resourceType: 'unknown',
      reporterIp: '192.0.2.1',
      reporterUserAgent: 'MyAgent/1.0',
      reporterNetwork: '192.0.2.0/24',
      byOwner: false,
    },
  ]);
});

test('a report that comes too late, or waits too long, is given up in time and not kept later', async () => {
  const { sql } = database;
  const cache = { putRecord: () => Promise.reject(new Error('nothing is hidden')) } as unknown as Cache;
  const bus = { publish: () => undefined };
  const log = pino({ level: 'silent' });
  const outbox = { tell: async () => undefined };
  const announcementMissed = () => undefined;
  const turns = createItemTurns(() => errors.refused('changes'));
  const deps = {
    sql,
    turns,
    clock: systemClock,
    cache,
    bus,
    log,
    outbox,
    reportsToHide: 0,
    announcementMissed,
  };
  const late = { ...report, reportId: 'report-2' };
  const kept = async () => (await sql`select id from reports where id = ${late.reportId}`).length;
  await expect(submitReport(deps, late, soon(0))).rejects.toMatchObject({ code: 'TIMEOUT' });
  await sql.begin(async (tx) => {
    await tx`lock table reports in share mode`;
    await expect(submitReport(deps, late, soon(900))).rejects.toMatchObject({
      code: expect.stringMatching(/^(TIMEOUT|UNAVAILABLE)$/) as unknown as string,
    });
  });
  expect(await kept()).toBe(0);
  await submitReport(deps, late, soon());
  expect(await kept()).toBe(1);
});
