import { expect, test } from 'bun:test';
import { createHtml, updateHtml } from '../../services/content/operations/html.ts';
import { errors } from '../../shared/errors.ts';
import type { ItemRef } from '../../shared/items/item.ts';
import { createItemTurns } from '../../shared/items/item-turns.ts';
import { soon } from '../call-context.ts';
import { useStarted } from '../started.ts';
import { type ContentOperations, removeHtml, startContentOperations } from './content-operations.ts';

const content = useStarted(
  () => startContentOperations(),
  (started) => started.end(),
);

const OWNER = { ownerHash: 'owner', title: null, suggestedTitle: null };

/** Until so many transactions wait for a lock. */
async function untilWaiting(count: number): Promise<void> {
  for (let waiting = 0; waiting < count; ) {
    const [row] = await content.deps.sql<Array<{ waiting: number }>>`
      select count(*)::int as waiting from pg_stat_activity where wait_event_type = 'Lock'`;
    waiting = row?.waiting ?? 0;
  }
}

const recordOf = async (item: ItemRef) => (await content.deps.cache.visit(item, false)).record;

type Deps = ContentOperations['deps'];

/** The dependencies of a further process: changes of one item by two processes meet in the database. */
const ofAnotherProcess = (): Deps => ({
  ...content.deps,
  turns: createItemTurns(() => errors.refused('changes')),
});

/**
 * Starts works, each in a process of its own, while the page's row is locked, and once the one before waits for it; then lets go.
 */
async function inTurn<T>(item: { namespace: string; id: string }, works: Array<(deps: Deps) => Promise<T>>) {
  const { sql } = content.deps;
  const settled: Array<Promise<PromiseSettledResult<T>>> = [];
  await sql.begin(async (tx) => {
    await tx`select 1 from items where namespace = ${item.namespace} and id = ${item.id} for update`;
    for (const work of works) {
      settled.push(Promise.allSettled([work(ofAnotherProcess())]).then(([outcome]) => outcome));
      await untilWaiting(settled.length);
    }
  });
  return await Promise.all(settled);
}

test('updates of one page at once leave no blob behind', async () => {
  const { deps } = content;
  const { item } = await createHtml(deps, await content.createInput('<p>old'), soon());
  const blobs = await Promise.all(['<p>a', '<p>b', '<p>c', '<p>d'].map(content.store));
  const outcomes = await inTurn(
    item,
    blobs.map((blob) => (own) => updateHtml(own, { ...item, ...OWNER, blob }, soon())),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(blobs.map(() => 'fulfilled'));
  expect(await content.audit()).toEqual({ forgotten: [], missing: [] });
});

/** The dependencies of an operation in whose rendering something else happens. */
const whileRendering = (happen: () => Promise<unknown>): ContentOperations['deps'] => ({
  ...content.deps,
  renderer: {
    ...content.deps.renderer,
    async render(input) {
      await happen();
      return await content.deps.renderer.render(input, soon());
    },
  },
});

const MARKDOWN = { format: 'MARKDOWN', contentType: 'text/markdown' } as const;

test('an update without a title keeps the one that another update gives meanwhile', async () => {
  const { deps } = content;
  const { item } = await createHtml(deps, await content.createInput('# Old', MARKDOWN), soon());
  const given = { ...item, ...OWNER, title: 'Given', blob: await content.store('# Given') };
  const late = { ...item, ...OWNER, suggestedTitle: 'Suggested', blob: await content.store('# Suggested') };
  expect(
    (
      await updateHtml(
        whileRendering(() => updateHtml(deps, given, soon())),
        late,
        soon(),
      )
    ).title,
  ).toBe('Given');
  expect(await content.audit()).toEqual({ forgotten: [], missing: [] });
});

test('an update that was prepared for a page is not made to the one that took its place', async () => {
  const { deps } = content;
  const { item } = await createHtml(deps, await content.createInput('# Old', MARKDOWN), soon());
  const makeAnew = async () => {
    await removeHtml(deps, { ...item, ...OWNER });
    await createHtml(
      deps,
      await content.createInput('<p>new', { namespace: item.namespace, id: item.id }),
      soon(),
    );
  };
  const update = { ...item, ...OWNER, blob: await content.store('# Late') };
  await expect(updateHtml(whileRendering(makeAnew), update, soon())).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  expect(await recordOf(item)).toMatchObject({ content: { format: 'HTML', viewKey: null } });
  expect(await content.audit()).toEqual({ forgotten: [], missing: [] });
});

test('a removal that waited for an update discards what the update brought', async () => {
  const { deps } = content;
  const { item } = await createHtml(deps, await content.createInput('<p>old'), soon());
  const blob = await content.store('<p>new');
  await inTurn<unknown>(item, [
    (own) => updateHtml(own, { ...item, ...OWNER, blob }, soon()),
    (own) => removeHtml(own, { ...item, ...OWNER }),
  ]);
  expect(await content.audit()).toEqual({ forgotten: [], missing: [] });
});

test('a late second attempt at a create does not bring a removed page back', async () => {
  const { deps } = content;
  const input = await content.createInput('<p>removed', { id: 'removed-meanwhile' });
  const { item } = await createHtml(deps, input, soon());
  await removeHtml(deps, { ...item, ...OWNER });
  await expect(createHtml(deps, input, soon())).rejects.toMatchObject({ code: 'TIMEOUT' });
  expect(await recordOf(item)).toMatchObject({ state: 'removed' });
});

test('a second attempt tells the cache what the first had no time to tell', async () => {
  const { deps } = content;
  const unheard = { ...deps, cache: { ...deps.cache, putRecord: async () => true } };
  const input = await content.createInput('<p>old', { id: 'announced-late' });
  const { item: removed } = await createHtml(deps, input, soon());
  await removeHtml(deps, { ...removed, ...OWNER });
  const again = await content.createInput('<p>new', { id: 'announced-late' });
  await createHtml(unheard, again, soon());
  expect(await recordOf(removed)).toMatchObject({ state: 'removed' });
  const { item } = await createHtml(deps, again, soon());
  expect(await recordOf(item)).toMatchObject({ state: 'live', content: { blobKey: again.blob.key } });

  const update = { ...item, ...OWNER, blob: await content.store('<p>newer') };
  await updateHtml(unheard, update, soon());
  expect(await recordOf(item)).toMatchObject({ content: { blobKey: again.blob.key } });
  await updateHtml(deps, update, soon());
  expect(await recordOf(item)).toMatchObject({ content: { blobKey: update.blob.key } });
});

test('a repeated create whose page has expired makes a new one', async () => {
  const { deps, time } = content;
  const input = await content.createInput('<p>short-lived');
  const { item: first } = await createHtml(deps, input, soon());
  time.now = first.expiresAt;
  const repeated = { ...input, blob: await content.store('<p>short-lived') };
  const { item: second } = await createHtml(deps, repeated, soon());
  expect(second.id).not.toBe(first.id);
  expect(second.expiresAt).toBeGreaterThan(time.now);
});

test('a page created while its address is being freed has a newer version than the removal', async () => {
  const { deps } = content;
  const { sql } = deps;
  const { item } = await createHtml(deps, await content.createInput('<p>old', { id: 'freed' }), soon());
  const next = await content.createInput('<p>new', { id: 'freed' });
  // Stops the insert between taking its version and looking for the address.
  await sql`create function wait_for_test() returns trigger language plpgsql as
    ${sql.unsafe("'begin perform pg_advisory_xact_lock(1); return new; end'")}`;
  await sql`create trigger wait_for_test before insert on items for each row execute function wait_for_test()`;
  let creating: ReturnType<typeof createHtml> | undefined;
  await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(1)`;
    creating = createHtml(deps, next, soon());
    await untilWaiting(1);
    await removeHtml(deps, { ...item, ...OWNER });
  });
  await creating;
  await sql`drop function wait_for_test cascade`;
  expect(await recordOf(item)).toMatchObject({ state: 'live', content: { blobKey: next.blob.key } });
});
