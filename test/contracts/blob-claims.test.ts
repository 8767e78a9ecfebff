import { expect, test } from 'bun:test';
import { reserveBlobs } from '../../services/content/operations/blobs.ts';
import { claimBlobs, takeDueBlobs } from '../../shared/items/blob-trash.ts';
import { startContentOperations } from '../faults/content-operations.ts';
import { useStarted } from '../started.ts';

const content = useStarted(
  () => startContentOperations(),
  (started) => started.end(),
);

const claim = (keys: string[]): Promise<unknown> =>
  content.deps.sql.begin((tx) => claimBlobs(tx, keys, content.time.now));

test('blobs are claimed all or none, and none whose reservation is over, which was claimed before, or is being deleted', async () => {
  const { deps, time } = content;
  const [good = '', over = '', used = '', doomed = ''] = (await reserveBlobs(deps, { count: 4 })).keys;
  await deps.sql`update blob_trash set delete_after = ${time.now} where key = ${over}`;
  await deps.sql`update blob_trash set used = true where key = ${used}`;
  await deps.sql`update blob_trash set delete_after = ${time.now - 1} where key = ${doomed}`;
  expect(await takeDueBlobs(deps.sql, time.now, time.now + 30_000, 1_000)).toContain(doomed);
  for (const keys of [[good, over], [used], [doomed]])
    await expect(claim(keys)).rejects.toMatchObject({ code: 'TIMEOUT' });
  await claim([good]);
});
