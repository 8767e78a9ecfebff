import { expect, test } from 'bun:test';
import { createHtml } from '../../services/content/operations/html.ts';
import { findItem } from '../../shared/items/item-repository.ts';
import { soon } from '../call-context.ts';
import { removeHtml, startContentOperations } from '../faults/content-operations.ts';
import { useStarted } from '../started.ts';

const content = useStarted(
  () => startContentOperations(),
  (started) => started.end(),
);

test('a removal that is committed is one, also when it cannot be announced; the repair pass is told', async () => {
  const { deps } = content;
  const input = await content.createInput('<p>to be removed');
  const { item } = await createHtml(deps, input, soon());
  const { namespace, id } = item;
  // Transactions go on; the look-up after the commit is a statement of its own.
  const sql = new Proxy(deps.sql, { apply: () => Promise.reject(new Error('the connection is lost')) });
  let missed = 0;
  const cut = { ...deps, sql, announcementMissed: () => missed++ };
  await removeHtml(cut, { namespace, id, ownerHash: input.ownerHash });
  expect(await findItem(deps.sql, { namespace, id })).toBeNull();
  expect(missed).toBe(1);
});

test('a removal that was refused says why, also when the look-up after it fails', async () => {
  const { deps } = content;
  const sql = new Proxy(deps.sql, { apply: () => Promise.reject(new Error('the connection is lost')) });
  const cut = { ...deps, sql, announcementMissed: () => undefined };
  const missing = { namespace: 'public', id: 'never-was', ownerHash: 'owner' };
  await expect(removeHtml(cut, missing)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
