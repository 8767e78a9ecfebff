import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createPage } from '../../services/content/operations/create-page.ts';
import { updatePage } from '../../services/content/operations/update-page.ts';
import type { ItemRef } from '../../shared/items/item.ts';
import { soon } from '../call-context.ts';
import { type ContentOperations, removePage, startContentOperations } from './content-operations.ts';

let content: ContentOperations;
beforeAll(async () => {
  content = await startContentOperations();
}, 300_000);
afterAll(() => content?.end(), 300_000);

const OWNER = { ownerHash: 'owner', title: null, suggestedTitle: null };

/** Until so many transactions wait for a lock. */
async function untilWaiting(count: number): Promise<void> {
  for (let waiting = 0; waiting < count; ) {
    const [row] = await content.deps.sql<Array<{ waiting: number }>>`
      select count(*)::int as waiting from pg_stat_activity where wait_event_type = 'Lock'`;
    waiting = row?.waiting ?? 0;
  }
}

const routeOf = async (item: ItemRef) => (await content.deps.cache.visit(item, false)).route;

/** Starts works while the page's row is locked, each once the one before waits for it; then lets go. */
async function inTurn<T>(item: { namespace: string; id: string }, works: Array<() => Promise<T>>) {
  const { sql } = content.deps;
  const settled: Array<Promise<PromiseSettledResult<T>>> = [];
  await sql.begin(async (tx) => {
    await tx`select 1 from items where namespace = ${item.namespace} and id = ${item.id} for update`;
    for (const work of works) {
      settled.push(Promise.allSettled([work()]).then(([outcome]) => outcome));
      await untilWaiting(settled.length);
    }
  });
  return await Promise.all(settled);
}

test('updates of one page at once leave no blob behind', async () => {
  const { deps } = content;
  const { item } = await createPage(deps, await content.createInput('<p>old'), soon());
  const blobs = await Promise.all(['<p>a', '<p>b', '<p>c', '<p>d'].map(content.store));
  const outcomes = await inTurn(
    item,
    blobs.map((blob) => () => updatePage(deps, { ...item, ...OWNER, blob }, soon())),
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
  const { item } = await createPage(deps, await content.createInput('# Old', MARKDOWN), soon());
  const given = { ...item, ...OWNER, title: 'Given', blob: await content.store('# Given') };
  const late = { ...item, ...OWNER, suggestedTitle: 'Suggested', blob: await content.store('# Suggested') };
  expect(
    (
      await updatePage(
        whileRendering(() => updatePage(deps, given, soon())),
        late,
        soon(),
      )
    ).title,
  ).toBe('Given');
  expect(await content.audit()).toEqual({ forgotten: [], missing: [] });
});

test('an update that was prepared for a page is not made to the one that took its place', async () => {
  const { deps } = content;
  const { item } = await createPage(deps, await content.createInput('# Old', MARKDOWN), soon());
  const makeAnew = async () => {
    await removePage(deps, { ...item, ...OWNER });
    await createPage(
      deps,
      await content.createInput('<p>new', { namespace: item.namespace, id: item.id }),
      soon(),
    );
  };
  const update = { ...item, ...OWNER, blob: await content.store('# Late') };
  await expect(updatePage(whileRendering(makeAnew), update, soon())).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  expect(await routeOf(item)).toMatchObject({ content: { format: 'HTML', viewKey: null } });
  expect(await content.audit()).toEqual({ forgotten: [], missing: [] });
});

test('a removal that waited for an update discards what the update brought', async () => {
  const { deps } = content;
  const { item } = await createPage(deps, await content.createInput('<p>old'), soon());
  const blob = await content.store('<p>new');
  await inTurn<unknown>(item, [
    () => updatePage(deps, { ...item, ...OWNER, blob }, soon()),
    () => removePage(deps, { ...item, ...OWNER }),
  ]);
  expect(await content.audit()).toEqual({ forgotten: [], missing: [] });
});

test('a late second attempt at a create does not bring a removed page back', async () => {
  const { deps } = content;
  const input = await content.createInput('<p>removed', { id: 'removed-meanwhile' });
  const { item } = await createPage(deps, input, soon());
  await removePage(deps, { ...item, ...OWNER });
  await expect(createPage(deps, input, soon())).rejects.toMatchObject({ code: 'TIMEOUT' });
  expect(await routeOf(item)).toMatchObject({ state: 'removed' });
});

test('a second attempt tells the cache what the first had no time to tell', async () => {
  const { deps } = content;
  const unheard = { ...deps, cache: { ...deps.cache, putRoute: async () => true } };
  const input = await content.createInput('<p>old', { id: 'announced-late' });
  const { item: removed } = await createPage(deps, input, soon());
  await removePage(deps, { ...removed, ...OWNER });
  const again = await content.createInput('<p>new', { id: 'announced-late' });
  await createPage(unheard, again, soon());
  expect(await routeOf(removed)).toMatchObject({ state: 'removed' });
  const { item } = await createPage(deps, again, soon());
  expect(await routeOf(item)).toMatchObject({ state: 'live', content: { blobKey: again.blob.key } });

  const update = { ...item, ...OWNER, blob: await content.store('<p>newer') };
  await updatePage(unheard, update, soon());
  expect(await routeOf(item)).toMatchObject({ content: { blobKey: again.blob.key } });
  await updatePage(deps, update, soon());
  expect(await routeOf(item)).toMatchObject({ content: { blobKey: update.blob.key } });
});

test('a repeated create whose page has expired makes a new one', async () => {
  const { deps, time } = content;
  const input = await content.createInput('<p>short-lived');
  const { item: first } = await createPage(deps, input, soon());
  time.now = first.expiresAt;
  const repeated = { ...input, blob: await content.store('<p>short-lived') };
  const { item: second } = await createPage(deps, repeated, soon());
  expect(second.id).not.toBe(first.id);
  expect(second.expiresAt).toBeGreaterThan(time.now);
});

test('a page created while its address is being freed has a newer version than the removal', async () => {
  const { deps } = content;
  const { sql } = deps;
  const { item } = await createPage(deps, await content.createInput('<p>old', { id: 'freed' }), soon());
  const next = await content.createInput('<p>new', { id: 'freed' });
  // Stops the insert between taking its version and looking for the address.
  await sql`create function wait_for_test() returns trigger language plpgsql as
    ${sql.unsafe("'begin perform pg_advisory_xact_lock(1); return new; end'")}`;
  await sql`create trigger wait_for_test before insert on items for each row execute function wait_for_test()`;
  let creating: ReturnType<typeof createPage> | undefined;
  await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(1)`;
    creating = createPage(deps, next, soon());
    await untilWaiting(1);
    await removePage(deps, { ...item, ...OWNER });
  });
  await creating;
  await sql`drop function wait_for_test cascade`;
  expect(await routeOf(item)).toMatchObject({ state: 'live', content: { blobKey: next.blob.key } });
});
