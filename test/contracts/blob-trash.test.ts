import { expect, test } from 'bun:test';
import { reserveBlobs } from '../../services/content/operations/blobs.ts';
import { createHtml, updateHtml } from '../../services/content/operations/html.ts';
import { takeDownItem } from '../../services/content/operations/take-down-item.ts';
import { takeDownOwner } from '../../services/content/operations/take-down-owner.ts';
import { emptyTrash } from '../../services/content/sweep/empty-trash.ts';
import { expireItems } from '../../services/content/sweep/expire-items.ts';
import { claimBlobs, takeDueBlobs } from '../../shared/items/blob-trash.ts';
import { blobKeysOf } from '../../shared/items/content.ts';
import { findItem } from '../../shared/items/item-repository.ts';
import { soon } from '../call-context.ts';
import { GRACE_MS, removeHtml, startContentOperations } from '../faults/content-operations.ts';
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

const DAY_MS = 86_400_000;

interface Page {
  namespace: string;
  id: string;
  ownerHash: string;
}

const publish = async (changes: { namespace?: string; id?: string } = {}): Promise<Page> => {
  const ownerHash = crypto.randomUUID();
  const input = await content.createInput(`<p>${ownerHash}`, { ownerHash, ...changes });
  const { namespace, id } = (await createHtml(content.deps, input, soon())).item;
  return { namespace, id, ownerHash };
};

const isStored = async (key: string): Promise<boolean> =>
  (await Array.fromAsync(content.deps.blobs.list())).includes(key);

const ACTING = { clientIp: '192.0.2.9', actor: { clientIp: '192.0.2.9', via: 'api', note: null } } as const;

const ENDS: Record<string, (page: Page) => Promise<unknown>> = {
  'is replaced': async (page) => {
    const blob = await content.store('<p>new');
    return await updateHtml(content.deps, { ...page, blob, title: null, suggestedTitle: null }, soon());
  },
  'is removed by its owner': (page) => removeHtml(content.deps, page),
  'is taken down': ({ namespace, id }) => takeDownItem(content.deps, { namespace, id, ...ACTING }, soon()),
  'is taken down with all of its owner': ({ ownerHash }) =>
    takeDownOwner(content.deps, { ownerId: ownerHash, ...ACTING }, soon()),
  'has expired': () => {
    content.time.now += DAY_MS;
    return expireItems(content.deps);
  },
  'has expired before another takes its address': (page) => {
    content.time.now += DAY_MS;
    return publish({ namespace: page.namespace, id: page.id });
  },
};

test.each(Object.keys(ENDS))(
  'content that %s is deleted when the grace is over, and not before',
  async (end) => {
    const { deps, time } = content;
    const page = await publish();
    const item = await findItem(deps.sql, page);
    const [key = ''] = item === null ? [] : blobKeysOf(item.content);
    await ENDS[end]?.(page);
    time.now += GRACE_MS - 1;
    await emptyTrash(deps);
    expect(await isStored(key)).toBe(true);
    time.now += 1;
    await emptyTrash(deps);
    expect(await isStored(key)).toBe(false);
  },
);
