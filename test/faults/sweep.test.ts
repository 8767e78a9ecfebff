import { expect, test } from 'bun:test';
import { createHtml, updateHtml } from '../../services/content/operations/html.ts';
import { emptyTrash } from '../../services/content/sweep/empty-trash.ts';
import { contentPasses } from '../../services/content/sweep/passes.ts';
import { createPause } from '../../shared/sweep/pause.ts';
import { startSweeper } from '../../shared/sweep/sweeper.ts';
import { soon } from '../call-context.ts';
import { useStarted } from '../started.ts';
import { removeHtml, startContentOperations } from './content-operations.ts';
import { until } from './waiting.ts';

const content = useStarted(
  () => startContentOperations(),
  (started) => started.end(),
);

const LONG = 3_600_000;
const DAY = 24 * LONG;

const count = async (table: 'blob_trash' | 'create_receipts' | 'items' | 'tombstones'): Promise<number> => {
  const { sql } = content.deps;
  const [row] = await sql<Array<{ count: number }>>`select count(*)::int as count from ${sql(table)}`;
  return row?.count ?? 0;
};

/** More than one batch of blobs that are due. */
const BACKLOG = 350;
const discardMany = (): Promise<unknown> => content.deps.sql`
  insert into blob_trash (key, delete_after, used)
  select 'aa/backlog' || n, ${content.time.now}, true from generate_series(1, ${BACKLOG}) as n
  on conflict do nothing`;

test('a round works off a backlog', async () => {
  await discardMany();
  const pause = createPause();
  const sweeper = startSweeper(contentPasses(content.deps), {
    log: content.deps.log,
    pause,
    intervalMs: LONG,
  });
  pause.cutShort();
  await until('the trash is empty', async () => (await count('blob_trash')) === 0);
  await sweeper.stop();
});

test('a stop waits for one batch, not for the backlog', async () => {
  await discardMany();
  const { deps } = content;
  const pause = createPause();
  const stopping = Promise.withResolvers<void>();
  const remove = async (keys: string[]): Promise<void> => {
    sweeper.stop().then(stopping.resolve, stopping.reject);
    await deps.blobs.remove(keys);
  };
  const sweeper = startSweeper(contentPasses({ ...deps, blobs: { ...deps.blobs, remove } }), {
    log: deps.log,
    pause,
    intervalMs: LONG,
  });
  pause.cutShort();
  await stopping.promise;
  expect(await count('blob_trash')).toBe(BACKLOG - 100);
});

test('a blob that the store does not let go keeps no other from going, and goes later', async () => {
  await discardMany();
  const { deps, time } = content;
  let stuck = true;
  const remove = async (keys: string[]): Promise<void> => {
    if (stuck && keys.includes('aa/backlog7')) throw new Error('not this one');
    await deps.blobs.remove(keys);
  };
  const pause = createPause();
  const sweeper = startSweeper(contentPasses({ ...deps, blobs: { ...deps.blobs, remove } }), {
    log: deps.log,
    pause,
    intervalMs: LONG,
  });
  pause.cutShort();
  await until('the others are gone', async () => (await count('blob_trash')) === 1);
  stuck = false;
  time.now += 600_000;
  pause.cutShort();
  await until('it is gone, too', async () => (await count('blob_trash')) === 0);
  await sweeper.stop();
});

test('a store that is slow is asked for little at a time, and other passes are not kept waiting', async () => {
  await discardMany();
  const { deps, time } = content;
  let underWay = 0;
  let most = 0;
  const remove = async (keys: string[]): Promise<void> => {
    most = Math.max(most, ++underWay);
    await deps.blobs.remove(keys);
    underWay -= 1;
    time.now += 4_000;
  };
  const { done, more } = await emptyTrash({ ...deps, blobs: { ...deps.blobs, remove } });
  expect({ done, more, most }).toEqual({ done: 8, more: false, most: 8 });
  // The rest of the batch belongs to nobody once its lease is over.
  time.now += 30_000;
  while ((await emptyTrash(deps)).more);
  expect(await count('blob_trash')).toBe(0);
});

test('once everything is over nothing is left but public tombstones', async () => {
  const { deps, time } = content;
  const owned = { ownerHash: 'owner', title: null, suggestedTitle: null };
  for (const namespace of ['public', 'private']) {
    const { item } = await createHtml(
      deps,
      await content.createInput(`<p>${namespace}`, { namespace }),
      soon(),
    );
    await updateHtml(deps, { ...item, ...owned, blob: await content.store('<p>new') }, soon());
    await createHtml(
      deps,
      await content.createInput(`<p>${namespace}, removed`, { namespace, id: 'removed' }),
      soon(),
    );
    await removeHtml(deps, { ...owned, namespace, id: 'removed' });
  }
  const pause = createPause();
  const sweeper = startSweeper(contentPasses(deps), { log: deps.log, pause, intervalMs: LONG });
  // Items expire, then their blobs are due; private tombstones go after a later repair pass.
  await until('private tombstones are gone', async () => {
    time.now += DAY;
    pause.cutShort();
    return (await count('blob_trash')) === 0 && (await count('tombstones')) === 2;
  });
  await sweeper.stop();
  expect([await count('items'), await count('create_receipts')]).toEqual([0, 0]);
  expect(await Array.fromAsync(deps.blobs.list())).toEqual([]);
});
