import { expect, test } from 'bun:test';
import { migrateFirst } from '../../infra/cluster/migrate-first.ts';
import { useDatabase } from '../use-database.ts';

const database = useDatabase();

/** The lock that a process holds while it applies a migration. */
const LOCK = 0x7065726368;

test('a cluster waits for a migration for as long as it takes, and says so', async () => {
  const said: string[] = [];
  let isDone = false;
  const held = Promise.withResolvers<void>();
  const others = database.sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${LOCK}::bigint)`;
    held.resolve();
    while (said.length === 0) await Bun.sleep(20);
    await Bun.sleep(300);
    expect(isDone).toBe(false);
  });
  await held.promise;
  const { signal } = new AbortController();
  await migrateFirst(database.url, { say: (line) => void said.push(line), signal, sayAfterMs: 100 });
  isDone = true;
  await others;
  expect(said).toEqual([expect.stringContaining('being brought up to date')]);
});

test('a stop ends the waiting', async () => {
  await database.sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${LOCK}::bigint)`;
    const signal = AbortSignal.timeout(200);
    await expect(migrateFirst(database.url, { say: () => undefined, signal })).rejects.toThrow(
      'stopped while',
    );
  });
});

test('nothing is said where there is nothing to do', async () => {
  const said: string[] = [];
  const { signal } = new AbortController();
  await migrateFirst(database.url, { say: (line) => void said.push(line), signal, sayAfterMs: 60_000 });
  expect(said).toEqual([]);
});

test('a database that is not there is named by its setting', async () => {
  const address = new URL(database.url);
  address.pathname = '/nowhere';
  const { signal } = new AbortController();
  await expect(migrateFirst(address.href, { say: () => undefined, signal })).rejects.toThrow(
    'PG_URL: PostgreSQL cannot be used (database "nowhere" does not exist)',
  );
});
