import { beforeEach, expect, test } from 'bun:test';
import pino from 'pino';
import * as scans from '../../services/content/repository/scans.ts';
import { carryOnRescan, startScheduled } from '../../services/content/sweep/scan-passes.ts';
import { createClamdScanner } from '../../shared/adapters/scanner/clamd.ts';
import { loadConfig } from '../../shared/config.ts';
import { queueScan } from '../../shared/items/scan-queue.ts';
import type { Scanner } from '../../shared/ports/scanner.ts';
import { useDatabase } from '../use-database.ts';
import { startClamdStandIn } from './scanner/clamd-stand-in.ts';

const database = useDatabase({ connections: 8 });

const NOW = Date.UTC(2026, 10, 23);
const HOUR_MS = 3_600_000;
const LEASE_MS = 30_000;
const log = pino({ level: 'silent' });
const { scanning: settings } = loadConfig({ RESCAN_EVERY_HOURS: '1' });

const depsAt = (now: number) => ({ sql: database.sql, clock: { now: () => now }, log });
/** A process looks whether a rescan is due. */
const start = (now: number, scanner: Scanner | null = null) =>
  startScheduled(depsAt(now), { settings, scanner });
const runs = () => scans.listRuns(database.sql, 100);
const startAll = async (now: number, scanner: Scanner | null = null): Promise<number> => {
  const begun = await Promise.all(Array.from({ length: 8 }, () => start(now, scanner)));
  return begun.reduce((sum, { done }) => sum + done, 0);
};

/** Ends the rescan that goes on: with nothing stored its two steps do nothing else. */
async function end(now: number): Promise<void> {
  for (let step = 0; step < 2; step++) await carryOnRescan(depsAt(now), { settings });
  expect((await runs())[0]?.finishedAt).toBe(now);
}

beforeEach(async () => {
  await database.sql`truncate scan_runs, scan_queue`;
});

test('of many processes one starts the scheduled rescan, when its time has come and not a millisecond before', async () => {
  using clamd = startClamdStandIn();
  const scanner = createClamdScanner({ url: clamd.url, maxBytes: 1_000 });
  expect(await startAll(NOW, scanner)).toBe(1);
  expect(await runs()).toMatchObject([{ startedBy: 'schedule', startedAt: NOW, finishedAt: null }]);
  expect((await runs())[0]?.scanner).toStartWith('ClamAV');
  // The rescan goes on for longer than the time between two.
  expect(await startAll(NOW + 2 * HOUR_MS, scanner)).toBe(0);
  await end(NOW + 60_000);
  for (const early of [60_001, HOUR_MS - 1]) expect(await startAll(NOW + early, scanner)).toBe(0);
  expect(await startAll(NOW + HOUR_MS, scanner)).toBe(1);
  expect(await runs()).toHaveLength(2);
});

test('a rescan of the operator counts for the schedule, too', async () => {
  await scans.insertRun(database.sql, { startedBy: 'operator', scanner: '', now: NOW });
  await end(NOW + 1);
  expect(await startAll(NOW + HOUR_MS - 1)).toBe(0);
  expect(await startAll(NOW + HOUR_MS)).toBe(1);
});

test('a process whose scanner is slow to answer starts none behind one that has begun and ended meanwhile', async () => {
  using clamd = startClamdStandIn();
  const scanner = createClamdScanner({ url: clamd.url, maxBytes: 1_000 });
  const slow: Scanner = {
    ...scanner,
    async version() {
      const version = await scanner.version();
      expect((await start(NOW, scanner)).done).toBe(1);
      await end(NOW + 1);
      return version;
    },
  };
  expect((await start(NOW, slow)).done).toBe(0);
  expect(await runs()).toHaveLength(1);
});

test('while the scanner is away none is started, and it is tried again soon', async () => {
  const clamd = startClamdStandIn();
  const scanner = createClamdScanner({ url: clamd.url, maxBytes: 1_000 });
  clamd[Symbol.dispose]();
  expect(await start(NOW, scanner)).toEqual({ done: 0, more: false, retry: true });
  expect(await runs()).toEqual([]);
});

test('without RESCAN_EVERY_HOURS none is started', async () => {
  const { scanning } = loadConfig({});
  expect(await startScheduled(depsAt(NOW), { settings: scanning, scanner: null })).toEqual({
    done: 0,
    more: false,
  });
  expect(await runs()).toEqual([]);
});

test('an item is left to the process that took it until its lease ends, and to one that renews it for longer', async () => {
  const { sql } = database;
  const run = await scans.insertRun(sql, { startedBy: 'operator', scanner: '', now: NOW });
  if (run === null) throw new Error('there is a rescan already');
  for (const code of ['one', 'two'])
    await sql`insert into scan_queue (code, run_id, due_at) values (${code}, ${run.runId}, ${NOW})`;
  const next = (now: number) => scans.takeQueuedScan(sql, { now, until: now + LEASE_MS });
  const take = async (now: number) => {
    const taken = [];
    for (let one = await next(now); one !== null; one = await next(now)) taken.push(one);
    return taken.toSorted((a, b) => a.code.localeCompare(b.code));
  };
  const both = (await Promise.all([take(NOW), take(NOW), take(NOW)])).flat();
  expect(both.map(({ code }) => code).toSorted()).toEqual(['one', 'two']);
  const [one, two] = both.toSorted((a, b) => a.code.localeCompare(b.code));
  if (one === undefined || two === undefined) throw new Error('nothing was taken');
  expect(await take(NOW + LEASE_MS - 1)).toEqual([]);
  await scans.renewLease(sql, one, NOW + 2 * LEASE_MS);
  expect(await take(NOW + LEASE_MS)).toMatchObject([{ code: 'two', tries: 2 }]);
  // A process that has lost it renews nothing.
  await scans.renewLease(sql, two, NOW + 100 * LEASE_MS);
  expect(await take(NOW + 2 * LEASE_MS)).toMatchObject([{ code: 'one' }, { code: 'two', tries: 3 }]);
  // Both processes come to its end.
  for (let time = 0; time < 2; time++) await scans.finishScan(sql, 'two', true);
  expect(await runs()).toMatchObject([{ scanned: 1, found: 1 }]);
});

/** Takes what is due, one after the other, and finishes it. */
async function takeAll(sql: typeof database.sql): Promise<string[]> {
  const order: string[] = [];
  for (;;) {
    const next = await scans.takeQueuedScan(sql, { now: NOW + 9_000, until: NOW + LEASE_MS });
    if (next === null) return order;
    await scans.finishScan(sql, next.code, false);
    order.push(next.code);
  }
}

test('clients take turns: who has sent much waits for others, and all of it goes before a rescan', async () => {
  const { sql } = database;
  const run = await scans.insertRun(sql, { startedBy: 'operator', scanner: '', now: NOW });
  await sql`insert into scan_queue (code, run_id, due_at) values ('again', ${run?.runId ?? 0}, ${NOW - 1})`;
  let sent = NOW;
  const send = (client: string | undefined, ...codes: string[]) =>
    Promise.all(codes.map((code) => queueScan(sql, { code, client }, sent++)));
  for (const code of ['a1', 'a2', 'a3', 'a4']) await send('a', code);
  await send('b', 'b1');
  await send('b', 'b2');
  await send(undefined, 'operator');
  expect(await takeAll(sql)).toEqual(['a1', 'b1', 'operator', 'a2', 'b2', 'a3', 'a4', 'again']);
});

test('a client that comes when others have had their turns begins where they are, and one content has one place', async () => {
  const { sql } = database;
  for (const code of ['a1', 'a2', 'a3']) await queueScan(sql, { code, client: 'a' }, NOW);
  const first = await scans.takeQueuedScan(sql, { now: NOW, until: NOW + LEASE_MS });
  await scans.finishScan(sql, first?.code ?? '', false);
  await queueScan(sql, { code: 'b1', client: 'b' }, NOW + 1);
  await queueScan(sql, { code: 'b1', client: 'b' }, NOW + 2);
  await Promise.all([1, 2].map((n) => queueScan(sql, { code: `c${n}`, client: 'c' }, NOW + 3)));
  const order = await takeAll(sql);
  expect(order.slice(0, 2)).toEqual(['a2', 'b1']);
  expect(order.toSorted()).toEqual(['a2', 'a3', 'b1', 'c1', 'c2']);
  expect(order.findIndex((code) => code.startsWith('c'))).toBeLessThan(order.indexOf('a3'));
});

test('new content of an item that a rescan has queued takes its turn, and the rescan does without it', async () => {
  const { sql } = database;
  const run = await scans.insertRun(sql, { startedBy: 'operator', scanner: '', now: NOW });
  for (const code of ['x', 'y'])
    await sql`insert into scan_queue (code, run_id, due_at) values (${code}, ${run?.runId ?? 0}, ${NOW})`;
  await sql`update scan_runs set queued = 2`;
  for (const code of ['a1', 'a2', 'a3', 'a4']) await queueScan(sql, { code, client: 'a' }, NOW);
  await Promise.all([1, 2].map(() => queueScan(sql, { code: 'x', client: 'b' }, NOW + 1)));
  expect(await takeAll(sql)).toEqual(['a1', 'x', 'a2', 'a3', 'a4', 'y']);
  expect(await runs()).toMatchObject([{ queued: 1, scanned: 1 }]);
});

test('while others work for a client its other items come after those of everybody else', async () => {
  const { sql } = database;
  for (const code of ['a1', 'a2']) await queueScan(sql, { code, client: 'a' }, NOW);
  for (const code of ['b1', 'b2']) await queueScan(sql, { code, client: 'b' }, NOW);
  const order: string[] = [];
  const take = () => scans.takeQueuedScan(sql, { now: NOW, until: NOW + LEASE_MS, busy: ['a'] });
  for (let taken = await take(); taken !== null; taken = await take()) order.push(taken.code);
  expect(order).toEqual(['b1', 'b2', 'a1', 'a2']);
});

test('an item whose try has failed waits behind the next of others and behind its own', async () => {
  const { sql } = database;
  for (const code of ['a1', 'a2']) await queueScan(sql, { code, client: 'a' }, NOW);
  for (const code of ['b1', 'b2', 'b3']) await queueScan(sql, { code, client: 'b' }, NOW);
  expect((await scans.takeQueuedScan(sql, { now: NOW, until: NOW + LEASE_MS }))?.code).toBe('a1');
  await scans.postponeTry(sql, 'a1', NOW);
  const order = await takeAll(sql);
  expect(order.slice(0, 1)).toEqual(['b1']);
  expect(order.indexOf('a1')).toBeGreaterThan(order.indexOf('a2'));
  expect(order.indexOf('a1')).toBeLessThanOrEqual(order.indexOf('b3'));
});

test('the oldest content has waited since it came, whatever the age of its item and however often it was tried', async () => {
  const { sql } = database;
  await queueScan(sql, { code: 'old', client: 'a' }, NOW);
  await queueScan(sql, { code: 'new', client: 'a' }, NOW + 2_000);
  await scans.takeQueuedScan(sql, { now: NOW + 2_500, until: NOW + LEASE_MS });
  await scans.postponeTry(sql, 'old', NOW + 90_000);
  await queueScan(sql, { code: 'old', client: 'a' }, NOW + 2_700);
  expect(await scans.countScans(sql, NOW + 3_000)).toMatchObject({ waiting: 2, rescan: 0, oldestSeconds: 3 });
  await scans.finishScan(sql, 'old', false);
  expect((await scans.countScans(sql, NOW + 3_000)).oldestSeconds).toBe(1);
  await scans.finishScan(sql, 'new', false);
  expect((await scans.countScans(sql, NOW + 3_000)).oldestSeconds).toBe(0);
});
