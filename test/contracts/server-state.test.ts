import { expect, test } from 'bun:test';
import { describeServer } from '../../services/content/operations/server-state.ts';
import { discardBlobs, reserveBlobKeys } from '../../shared/items/blob-trash.ts';
import { useDatabase } from '../use-database.ts';

const database = useDatabase();
const NOW = Date.UTC(2026, 10, 23);

test('content that waits for its removal is counted, and keys that are reserved for uploads are not', async () => {
  const { sql } = database;
  const state = () => describeServer({ sql, clock: { now: () => NOW } });
  await reserveBlobKeys(sql, 64, NOW + 60_000);
  expect(await state()).toMatchObject({ blobsWaiting: 0, blobsDue: 0 });
  await discardBlobs(sql, ['replaced', 'removed'], NOW + 60_000);
  await discardBlobs(sql, ['due'], NOW);
  expect(await state()).toMatchObject({ blobsWaiting: 3, blobsDue: 1 });
});
