import { expect, test } from 'bun:test';
import { createHtml } from '../../services/content/operations/html.ts';
import { steadyNow } from '../../shared/deadline.ts';
import { errors } from '../../shared/errors.ts';
import { findItem } from '../../shared/items/item-repository.ts';
import { asUncertain, writeInTime } from '../../shared/items/write-in-time.ts';
import { soon } from '../call-context.ts';
import { startContentOperations } from '../faults/content-operations.ts';
import { useStarted } from '../started.ts';
import { createLose } from './lost-connections.ts';

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

/** Loses the connection of a change that gives an item such a title. */
async function loseConnections(): Promise<void> {
  const { sql } = content.deps;
  await createLose(sql);
  await sql`
    create trigger lose_at_once before insert or update on items
    for each row when (new.title = 'lost at once') execute function lose()`;
  await sql`
    create constraint trigger lose_at_commit after update on items deferrable initially deferred
    for each row when (new.title = 'lost at the commit') execute function lose()`;
}

test('a write may be done when the database is lost during its commit or its only statement, and is not when it is lost before', async () => {
  const { deps } = content;
  await loseConnections();
  const { item } = await createHtml(deps, await content.createInput('<p>lost'), soon());
  const giveTitle = (title: string) =>
    writeInTime(deps, soon(), 'a title', async (tx) => {
      await tx`update items set title = ${title} where namespace = ${item.namespace} and id = ${item.id}`;
    });
  for (const [title, mayBeDone] of [
    ['lost at once', false],
    ['lost at the commit', true],
  ] as const)
    await expect(giveTitle(title)).rejects.toMatchObject({ code: 'UNAVAILABLE', mayBeDone });
  // Items that are made together are one statement, which commits by itself.
  const input = await content.createInput('<p>lost', { title: 'lost at once' });
  await expect(createHtml(deps, input, soon())).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    mayBeDone: true,
  });
});

test('a write that was refused is not done', () => {
  const refused = errors.refused('database');
  expect(asUncertain(refused)).toBe(refused);
});
