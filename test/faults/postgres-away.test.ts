import { beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { useStarted } from '../started.ts';
import { auditBlobs } from './blob-audit.ts';
import { createPage, readRaw, summary, updatePage } from './client.ts';
import { processesOf, serverOf, sharedOnOwnServers } from './own-servers.ts';
import { until, untilCacheIsServed, untilDown, untilReady } from './waiting.ts';
import { underFire } from './workload.ts';

setDefaultTimeout(300_000);

const perch = useStarted(sharedOnOwnServers);
beforeAll(() => untilCacheIsServed(perch));

/** Answers to a write while the database is away; both ask the client to try again. */
const AWAY = ['503 UNAVAILABLE', '504 TIMEOUT'];

async function workWithoutPostgres(
  name: string,
  takeAway: () => void | Promise<void>,
  bringBack: () => void | Promise<void>,
): Promise<void> {
  const before = processesOf(perch);
  const hot = `/faults/${name}-hot`;
  expect(summary(await createPage(perch.url, { id: `${name}-hot`, content: '<p>hot' }))).toBe('201');
  expect(summary(await readRaw(perch.url, hot))).toBe('200');

  await takeAway();
  await untilDown(perch.url, 'content');
  for (const service of perch.services.contents) await untilDown(service.url, 'database');
  const writes = [
    createPage(perch.url, { id: `${name}-new`, content: '<p>new' }),
    updatePage(perch.url, hot, '<p>hot, new'),
  ];
  for (let read = 0; read < 10; read++) {
    expect(await readRaw(perch.url, hot)).toMatchObject({ status: 200, text: '<p>hot' });
  }
  for (const write of writes) expect(AWAY).toContain(summary(await write));

  await bringBack();
  await untilReady(perch.url);
  const path = `/faults/${name}-after`;
  await until('pages are published again', async () =>
    ['201', '409 ID_TAKEN'].includes(
      summary(await createPage(perch.url, { id: `${name}-after`, content: '<p>after' })),
    ),
  );
  expect(await readRaw(perch.url, path)).toMatchObject({ status: 200, text: '<p>after' });
  expect(summary(await updatePage(perch.url, hot, '<p>hot, newer'))).toBe('200');
  expect(await readRaw(perch.url, hot)).toMatchObject({ status: 200, text: '<p>hot, newer' });
  expect(processesOf(perch)).toEqual(before);
}

test('PostgreSQL killed: writes are refused, cached pages go on, and it recovers by itself', async () => {
  const postgres = serverOf(perch, 'postgres');
  await workWithoutPostgres('killed', postgres.kill, postgres.start);
});

test('PostgreSQL frozen: writes are refused within their deadline, and it recovers by itself', async () => {
  const postgres = serverOf(perch, 'postgres');
  await workWithoutPostgres('frozen', postgres.pause, postgres.resume);
});

test('PostgreSQL killed under 100 writes in flight: no acknowledged write is lost', async () => {
  const postgres = serverOf(perch, 'postgres');
  const verdict = await underFire([perch.url], 20, () => postgres.kill().then(() => postgres.start()));
  expect(verdict.faults).toEqual([]);
  expect(verdict).toMatchObject({ sent: 100, unanswered: 0 });
});

test('the sweeper goes on afterwards', async () => {
  expect(await auditBlobs(perch)).toMatchObject({ orphans: [], missing: [] });
});
