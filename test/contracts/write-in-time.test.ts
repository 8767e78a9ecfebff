import { expect, test } from 'bun:test';
import { createHtml } from '../../services/content/operations/html.ts';
import { steadyNow } from '../../shared/deadline.ts';
import { findItem } from '../../shared/items/item-repository.ts';
import { writeInTime } from '../../shared/items/write-in-time.ts';
import { soon } from '../call-context.ts';
import { startContentOperations } from '../faults/content-operations.ts';
import { useStarted } from '../started.ts';

const content = useStarted(
  () => startContentOperations(),
  (started) => started.end(),
);

test('a write whose work lasts until its caller has given up is not committed', async () => {
  const { deps } = content;
  const { item } = await createHtml(deps, await content.createInput('<p>in time'), soon());
  const { namespace, id } = item;
  const context = { requestId: 'late', deadline: steadyNow() + 2_000 };
  const writing = writeInTime(deps, context, 'a title', async (tx) => {
    await tx`update items set title = 'late' where namespace = ${namespace} and id = ${id}`;
    await Bun.sleep(context.deadline - steadyNow());
  });
  await expect(writing).rejects.toMatchObject({ code: 'TIMEOUT' });
  expect((await findItem(deps.sql, { namespace, id }))?.title).not.toBe('late');
});
