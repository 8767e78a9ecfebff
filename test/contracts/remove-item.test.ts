import { expect, test } from 'bun:test';
import { createHtml } from '../../services/content/operations/html.ts';
import { findItem } from '../../shared/items/item-repository.ts';
import { buryItems } from '../../shared/items/tombstones.ts';
import { soon } from '../call-context.ts';
import { removeHtml, startContentOperations } from '../faults/content-operations.ts';
import { useStarted } from '../started.ts';

const content = useStarted(
  () => startContentOperations(),
  (started) => started.end(),
);

test('a removal is announced, also when the database is lost right after its commit', async () => {
  const { deps } = content;
  const input = await content.createInput('<p>to be removed');
  const { item } = await createHtml(deps, input, soon());
  const { namespace, id } = item;
  // Transactions go on; whatever followed the commit would be a statement of its own.
  const sql = new Proxy(deps.sql, { apply: () => Promise.reject(new Error('the connection is lost')) });
  let missed = 0;
  const cut = { ...deps, sql, announcementMissed: () => missed++ };
  await removeHtml(cut, { namespace, id, ownerHash: input.ownerHash });
  expect(await findItem(deps.sql, { namespace, id })).toBeNull();
  expect((await deps.cache.visit({ namespace, id }, false)).record).toMatchObject({ state: 'removed' });
  expect(missed).toBe(0);
});

test('a removal that was refused says why, also when the look-up after it fails', async () => {
  const { deps } = content;
  const sql = new Proxy(deps.sql, { apply: () => Promise.reject(new Error('the connection is lost')) });
  const cut = { ...deps, sql, announcementMissed: () => undefined };
  const missing = { namespace: 'public', id: 'never-was', ownerHash: 'owner' };
  await expect(removeHtml(cut, missing)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('the time of a removal is read when the values of its store are gone: deleting them may take long', async () => {
  const { deps } = content;
  const { item } = await createHtml(deps, await content.createInput('<p>with values'), soon());
  const { namespace, id } = item;
  await deps.sql`
    insert into kv_entries (namespace, id, key, value, size_bytes, updated_at)
    select ${namespace}, ${id}, n::text, '1', 1, now() from generate_series(1, 201) as n`;
  const statements: string[] = [];
  let readBehind = 0;
  const clock = {
    now() {
      readBehind = statements.length;
      return deps.clock.now();
    },
  };
  await deps.sql.begin(async (tx) => {
    const spied = new Proxy(tx, {
      apply(target, self, args) {
        statements.push(String(args[0]));
        return Reflect.apply(target, self, args);
      },
    });
    await buryItems(spied, [{ namespace, id }], clock);
  });
  const deletions = statements.filter((text) => text.includes('delete from kv_entries')).length;
  expect([deletions, readBehind]).toEqual([2, 2]);
});
