import { afterAll, beforeAll, expect, test } from 'bun:test';
import pino from 'pino';
import { openDatabase } from '../../shared/adapters/database/postgres.ts';
import { claimBlobs, reserveBlobKeys } from '../../shared/items/blob-trash.ts';
import type { Database } from '../../shared/items/sql.ts';
import { type Instance, startInstance } from '../instance.ts';
import { databaseUrl } from './blob-audit.ts';

let perch: Instance;
let sql: Database;

beforeAll(async () => {
  perch = await startInstance({ mode: 'embedded' });
  const log = pino({ level: 'silent' });
  sql = openDatabase(await databaseUrl(perch), { log, maxConnections: 1, statementTimeoutMs: 5_000 });
}, 300_000);
afterAll(async () => {
  await sql?.end({ timeout: 1 });
  await perch?.stop();
}, 300_000);

/** In one transaction, so that the sweeper of the running instance never sees the row. */
const claimAt = (now: number, until: number): Promise<void> =>
  sql.begin(async (tx) => claimBlobs(tx, await reserveBlobKeys(tx, 2, until), now));

test('a sweeper that died between the blob and its row leaves a row that nobody can claim', async () => {
  const until = Date.now();
  await expect(claimAt(until, until)).rejects.toMatchObject({ code: 'TIMEOUT' });
  await expect(claimAt(until + 1, until)).rejects.toMatchObject({ code: 'TIMEOUT' });
  await claimAt(until - 1, until);
});
