import { expect, test } from 'bun:test';
import { createHtml, updateHtml } from '../../services/content/operations/html.ts';
import { createJson, updateJson } from '../../services/content/operations/json.ts';
import { renewItem } from '../../services/content/operations/renew-item.ts';
import { takeDownItem } from '../../services/content/operations/take-down-item.ts';
import type { CallContext } from '../../shared/contracts/operation.ts';
import { claimBlobs, reserveBlobKeys } from '../../shared/items/blob-trash.ts';
import { etagOf } from '../../shared/items/etag.ts';
import type { ItemRef } from '../../shared/items/item.ts';
import { findItem } from '../../shared/items/item-repository.ts';
import { removeItem } from '../../shared/items/remove-item.ts';
import { soon } from '../call-context.ts';
import { useStarted } from '../started.ts';
import { type ContentOperations, startContentOperations } from './content-operations.ts';

const content = useStarted(
  () => startContentOperations(),
  (started) => started.end(),
);

const OWNER = { ownerHash: 'owner', title: null, suggestedTitle: null };
const MARKDOWN = { format: 'MARKDOWN', contentType: 'text/markdown' } as const;

const stored = (item: ItemRef) => findItem(content.deps.sql, item);
const newPage = async (text: string) => {
  const { item } = await createHtml(content.deps, await content.createInput(text), soon());
  return item;
};

/** Does something to a page while another transaction holds its row, which lets go when that has settled. */
async function againstLock(
  item: ItemRef,
  work: (context: CallContext) => Promise<unknown>,
): Promise<unknown> {
  const { sql } = content.deps;
  return await sql.begin(async (tx) => {
    await tx`select 1 from items where namespace = ${item.namespace} and id = ${item.id} for update`;
    return await work(soon(900)).catch((error: unknown) => error);
  });
}

const CHANGES: Record<string, (item: ItemRef, context: CallContext) => Promise<unknown>> = {
  update: async (item, context) =>
    updateHtml(content.deps, { ...item, ...OWNER, blob: await content.store('<p>late') }, context),
  removal: (item, context) =>
    removeItem(content.deps, { ...item, kind: 'html', ownerHash: 'owner' }, context),
  renewal: (item, context) => renewItem(content.deps, { ...item, ownerHash: 'owner', ttlDays: 9 }, context),
  takedown: (item, context) => takeDownItem(content.deps, { ...item, clientIp: '::1' }, context),
};

test.each(Object.keys(CHANGES))(
  '%s: one that waits for the row is given up in time, and not done later',
  async (name) => {
    const item = await newPage(`<p>${name}`);
    const before = await stored(item);
    const failed = await againstLock(item, (context) => CHANGES[name]?.(item, context) ?? Promise.resolve());
    expect(['TIMEOUT', 'UNAVAILABLE']).toContain((failed as { code: string }).code);
    expect(await stored(item)).toEqual(before);
    const late = CHANGES[name]?.(item, soon(0));
    await expect(late).rejects.toMatchObject({ code: 'TIMEOUT', mayBeDone: false });
    expect(await stored(item)).toEqual(before);
  },
);

test('time that runs out while a page is rendered ends the create, and the update', async () => {
  const { deps } = content;
  const context = soon(1_000);
  const slow: ContentOperations['deps'] = {
    ...deps,
    renderer: {
      ...deps.renderer,
      async render(input) {
        await Bun.sleep(1_000);
        return await deps.renderer.render(input, soon());
      },
    },
  };
  const input = await content.createInput('# Late', { ...MARKDOWN, id: 'late' });
  await expect(createHtml(slow, input, context)).rejects.toMatchObject({ code: 'TIMEOUT' });
  expect(await stored({ namespace: 'public', id: 'late' })).toBeNull();
  const { item } = await createHtml(deps, input, soon());
  const update = { ...item, ...OWNER, blob: await content.store('# Later') };
  await expect(updateHtml(slow, update, soon(1_000))).rejects.toMatchObject({ code: 'TIMEOUT' });
  expect(await stored(item)).toMatchObject({ content: { blobKey: input.blob.key } });
});

test('a create that waits for others of its collection is given up in time, and not made later', async () => {
  const { deps } = content;
  const input = { ...(await content.createInput('{}', { id: 'late-document' })), excerpt: '{}' };
  const identity = ['json', input.namespace, input.ownerHash].join(' ');
  await deps.sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended(${identity}, 1))`;
    await expect(createJson(deps, input, soon(900))).rejects.toMatchObject({
      code: expect.stringMatching(/^(TIMEOUT|UNAVAILABLE)$/) as unknown as string,
    });
  });
  expect(await stored({ namespace: 'public', id: 'late-document' })).toBeNull();
  expect((await createJson(deps, input, soon())).item.id).toBe('late-document');
});

test('a resent update that another has replaced since tells its own version, and changes nothing', async () => {
  const { deps } = content;
  const page = await newPage('<title>old</title>');
  const first = { ...page, ...OWNER, suggestedTitle: 'First', blob: await content.store('<p>first') };
  const second = { ...page, ...OWNER, suggestedTitle: 'Second', blob: await content.store('<p>second') };
  const told = await updateHtml(deps, first, soon());
  await updateHtml(deps, second, soon());
  const before = await stored(page);
  const again = await updateHtml(deps, first, soon());
  expect(again).toMatchObject({ title: 'First', sizeBytes: told.sizeBytes, content: told.content });
  expect(await stored(page)).toEqual(before);
  const { record } = await deps.cache.visit(page, false);
  expect(record).toMatchObject({ title: 'Second', content: { blobKey: second.blob.key } });
});

test('its condition was met the first time, and the next one does not take the other for its own', async () => {
  const { deps } = content;
  const input = { ...(await content.createInput('{"n":0}', { id: 'document' })), excerpt: '{"n":0}' };
  const { item } = await createJson(deps, input, soon());
  const write = async (text: string, ifMatch: string[] | null) => ({
    ...{ namespace: item.namespace, id: item.id, ownerHash: 'owner', excerpt: text, ifMatch },
    blob: await content.store(text),
  });
  const first = await write('{"n":1}', [etagOf(input.blob)]);
  await updateJson(deps, first, soon());
  await updateJson(deps, await write('{"n":2}', null), soon());
  const again = await updateJson(deps, first, soon());
  expect(again.content).toMatchObject({ sha256: first.blob.sha256 });
  const next = await write('{"n":3}', [etagOf(first.blob)]);
  await expect(updateJson(deps, next, soon())).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
});

test('a sweeper that died between the blob and its row leaves a row that nobody can claim', async () => {
  const { sql } = content.deps;
  const until = Date.now();
  const claimAt = (now: number): Promise<void> =>
    sql.begin(async (tx) => claimBlobs(tx, await reserveBlobKeys(tx, 2, until), now));
  await expect(claimAt(until)).rejects.toMatchObject({ code: 'TIMEOUT' });
  await expect(claimAt(until + 1)).rejects.toMatchObject({ code: 'TIMEOUT' });
  await claimAt(until - 1);
});
