import { expect, test } from 'bun:test';
import { createFile } from '../../services/content/operations/create-file.ts';
import { createHtml } from '../../services/content/operations/html.ts';
import { createJson } from '../../services/content/operations/json.ts';
import {
  removeFile,
  removeJson,
  removeHtml as removePage,
} from '../../services/content/operations/remove-items.ts';
import { etagOf } from '../../shared/items/etag.ts';
import type { ItemRef } from '../../shared/items/item.ts';
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

const FILE = { filename: 'a.png', contentType: 'image/png', family: 'image', language: null } as const;
const GUARDED = [
  { name: 'page', create: createHtml, remove: removePage },
  { name: 'document', create: createJson, remove: removeJson },
  { name: 'file', create: createFile, remove: removeFile },
];

for (const { name, create, remove } of GUARDED)
  test(`the condition of a removal of a ${name} is tested on what a change made of it that it has waited for`, async () => {
    const { deps } = content;
    const { sql } = deps;
    const input = { ...(await content.createInput(`<p>${name}`)), ...FILE, excerpt: '' };
    const { namespace, id } = (await create(deps, input, soon())).item;
    const removal = (blob: { sha256: string }) =>
      remove(deps, { namespace, id, ownerHash: input.ownerHash, ifMatch: [etagOf(blob)] }, soon()).catch(
        (error: unknown) => error,
      );
    const changed = { sha256: 'f'.repeat(64) };
    let refusal: Promise<unknown> | undefined;
    await sql.begin(async (tx) => {
      await tx`
        update items set content = content || ${tx.json(changed)}, version = nextval('item_version')
        where namespace = ${namespace} and id = ${id}`;
      refusal = removal(input.blob);
      for (let isWaiting = false; !isWaiting; ) {
        const [row] = await sql`select exists (select from pg_locks where not granted) as waits`;
        isWaiting = row?.waits === true;
      }
    });
    expect(await refusal).toMatchObject({ code: 'PRECONDITION_FAILED' });
    expect(await findItem(sql, { namespace, id })).toMatchObject({ content: changed });
    expect(await removal(changed)).toEqual({});
    expect(await findItem(sql, { namespace, id })).toBeNull();
  });

/** A page with values named 001 and so on, in this order. */
async function createWithValues(count: number): Promise<ItemRef> {
  const { deps } = content;
  const { item } = await createHtml(deps, await content.createInput('<p>with values'), soon());
  await deps.sql`
    insert into kv_entries (namespace, id, key, value, size_bytes, updated_at)
    select ${item.namespace}, ${item.id}, to_char(n, 'FM000'), '1', 1, now() from generate_series(1, ${count}::int) as n`;
  return item;
}

test('a value that is replaced meanwhile does not leave those behind its slice to one statement', async () => {
  const { sql, clock } = content.deps;
  const { namespace, id } = await createWithValues(450);
  let slices = 0;
  let burying: Promise<unknown> | undefined;
  await sql.begin(async (tx) => {
    await tx`update kv_entries set value = '2' where namespace = ${namespace} and id = ${id} and key = '001'`;
    burying = sql.begin(async (other) => {
      const spied = new Proxy(other, {
        apply(target, self, args) {
          if (String(args[0]).includes('delete from kv_entries')) slices += 1;
          return Reflect.apply(target, self, args);
        },
      });
      return await buryItems(spied, [{ namespace, id }], clock);
    });
    for (let isWaiting = false; !isWaiting; ) {
      const [row] = await sql`select exists (select from pg_locks where not granted) as waits`;
      isWaiting = row?.waits === true;
    }
  });
  await burying;
  // Of 200, of 200, and of what is left, with the replaced one.
  expect(slices).toBe(3);
});

test('the time of a removal is read when the values of its store are gone: deleting them may take long', async () => {
  const { deps } = content;
  const { namespace, id } = await createWithValues(201);
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
