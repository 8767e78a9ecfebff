import { expect, test } from 'bun:test';
import { insertReport } from '../../services/analytics/repository/reports.ts';

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
    },
  ]);
});
