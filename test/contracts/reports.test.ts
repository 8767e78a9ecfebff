import { afterAll, beforeAll, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import pino from 'pino';
import { insertReport } from '../../services/analytics/repository/reports.ts';
import { migrate } from '../../shared/adapters/database/migrate.ts';
import { openDatabase } from '../../shared/adapters/database/postgres.ts';
import type { Database } from '../../shared/items/sql.ts';
import { MIGRATIONS } from '../../shared/wiring/distributed.ts';
import { START_LIMIT_MS, useServers } from '../servers.ts';

const log = pino({ level: 'silent' });
const name = `perch_reports_${randomBytes(6).toString('hex')}`;
let admin: Database;
let sql: Database;

const open = (url: string): Database =>
  openDatabase(url, { log, maxConnections: 4, statementTimeoutMs: 5_000 });

// Before the server's own end, which is registered next.
afterAll(async () => {
  await sql.end({ timeout: 1 });
  await admin.unsafe(`drop database ${name} with (force)`);
  await admin.end({ timeout: 1 });
});

const setting = useServers('PG_URL');

beforeAll(async () => {
  admin = open(setting('PG_URL'));
  await admin.unsafe(`create database ${name}`);
  const own = new URL(setting('PG_URL'));
  own.pathname = `/${name}`;
  await migrate(own.href, { directory: MIGRATIONS, log });
  sql = open(own.href);
}, START_LIMIT_MS);

const report = {
  reportId: 'report-1',
  reportedUrl: 'http://localhost/public/bad',
  category: 'spam' as const,
  description: 'It advertises things.',
  reporterEmail: null,
  namespace: 'public',
  id: 'bad',
};

test('a report is kept once, with the time of its first attempt, also when attempts cross', async () => {
  const now = Date.UTC(2026, 10, 21);
  expect(await insertReport(sql, report, now)).toBe(now);
  expect(await Promise.all([1, 2, 3].map((later) => insertReport(sql, report, now + later)))).toEqual([
    now,
    now,
    now,
  ]);
  expect([...(await sql`select * from reports`)]).toEqual([
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
    },
  ]);
});
