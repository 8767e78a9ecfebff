import { expect, test } from 'bun:test';
import pino from 'pino';
import { extendBlobs as answerExtendBlobs } from '../../services/content/operations/blobs.ts';
import { createHtml, updateHtml } from '../../services/content/operations/html.ts';
import { createJson, updateJson } from '../../services/content/operations/json.ts';
import { renewItem } from '../../services/content/operations/renew-item.ts';
import { takeDownItem } from '../../services/content/operations/take-down-item.ts';
import { emptyTrash } from '../../services/content/sweep/empty-trash.ts';
import { putKeepingReserved } from '../../services/gateway/uploads/store-blob.ts';
import { createInProcessBus } from '../../shared/adapters/bus/in-process.ts';
import type { CallContext } from '../../shared/call-context.ts';
import { extendBlobs } from '../../shared/contracts/content.ts';
import { handler, serve } from '../../shared/contracts/serve.ts';
import { errors } from '../../shared/errors.ts';
import { claimBlobs, reserveBlobKeys } from '../../shared/items/blob-trash.ts';
import { etagOf } from '../../shared/items/etag.ts';
import type { ItemRef } from '../../shared/items/item.ts';
import { findItem } from '../../shared/items/item-repository.ts';
import { putReserved } from '../../shared/items/put-reserved.ts';
import { removeItem } from '../../shared/items/remove-item.ts';
import { soon } from '../call-context.ts';
import { useStarted } from '../started.ts';
import { type ContentOperations, GRACE_MS, startContentOperations } from './content-operations.ts';
import { until } from './waiting.ts';

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
    namespace: item.namespace,
    id: item.id,
    ownerHash: 'owner',
    excerpt: text,
    ifMatch,
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

/** Lets so much time pass, in ms, and the sweeper pass by. */
async function pass(ms: number): Promise<void> {
  content.time.now += ms;
  while ((await emptyTrash(content.deps)).more);
}

const BYTES = new TextEncoder().encode('<p>late');

test('a blob that arrives after its reservation, of which the sweeper knows nothing any more, is removed', async () => {
  const { deps } = content;
  const arriveLate = async (key: string, bytes: Uint8Array): Promise<void> => {
    await pass(GRACE_MS);
    await deps.blobs.put(key, bytes);
  };
  const arriveUnnoticed = async (key: string, bytes: Uint8Array): Promise<void> => {
    await arriveLate(key, bytes);
    throw new Error('no answer came');
  };
  const put = (arrive: typeof arriveLate) =>
    putReserved({ ...deps, blobs: { ...deps.blobs, put: arrive } }, BYTES);
  await expect(put(arriveLate)).rejects.toMatchObject({ code: 'TIMEOUT' });
  await expect(put(arriveUnnoticed)).rejects.toThrow('no answer came');
  expect((await content.audit()).forgotten).toEqual([]);
});

test('a late blob that cannot be removed is left to the sweeper, and its put fails for its own reason', async () => {
  const { deps } = content;
  const remove = async (): Promise<void> => {
    throw errors.unavailable('content store');
  };
  const late = (reason?: Error) => {
    const put = async (key: string, bytes: Uint8Array): Promise<void> => {
      await pass(GRACE_MS);
      await deps.blobs.put(key, bytes);
      if (reason !== undefined) throw reason;
    };
    return putReserved({ ...deps, blobs: { ...deps.blobs, remove, put } }, BYTES);
  };
  const before = await Array.fromAsync(deps.blobs.list());
  await expect(late(new Error('no answer came'))).rejects.toThrow('no answer came');
  await expect(late()).rejects.toMatchObject({ code: 'TIMEOUT' });
  expect((await content.audit()).forgotten).toEqual([]);
  await pass(GRACE_MS);
  const left = await Array.fromAsync(deps.blobs.list());
  expect(left.filter((key) => !before.includes(key))).toEqual([]);
});

test('a late blob of which nobody can be told is named in the log', async () => {
  const { deps } = content;
  const said: string[] = [];
  const log = pino({}, { write: (line) => void said.push(line) });
  const keys: string[] = [];
  const remove = async (): Promise<void> => {
    throw errors.unavailable('content store');
  };
  const put = async (key: string): Promise<void> => {
    keys.push(key);
    await pass(GRACE_MS);
  };
  const blobKeys = { ...deps.blobKeys, trash: remove };
  const late = putReserved({ ...deps, log, blobKeys, blobs: { ...deps.blobs, remove, put } }, BYTES);
  await expect(late).rejects.toMatchObject({ code: 'TIMEOUT' });
  expect(said).toEqual(keys.map((key) => expect.stringContaining(key)));
});

test.each([
  { left: 1, isKept: true },
  { left: 0, isKept: false },
  { left: -1, isKept: false },
])('a put that ends $left ms before the end of its reservation: kept, $isKept', async ({ left, isKept }) => {
  const { deps, time } = content;
  const until = time.now + GRACE_MS;
  const [key = ''] = await reserveBlobKeys(deps.sql, 1, until);
  const blobKeys = { ...deps.blobKeys, take: async () => ({ key, until }) };
  const put = async (name: string, bytes: Uint8Array): Promise<void> => {
    await deps.blobs.put(name, bytes);
    time.now = until - left;
  };
  const putting = putReserved({ ...deps, blobKeys, blobs: { ...deps.blobs, put } }, BYTES);
  if (isKept) expect(await putting).toBe(key);
  else await expect(putting).rejects.toMatchObject({ code: 'TIMEOUT' });
  const blob = await deps.blobs.open(key);
  await blob?.body.cancel();
  expect(blob !== null).toBe(isKept);
});

/** Length of a reservation that is extended every 10 ms. */
const SHORT_GRACE_MS = 30;

/** Puts the two blobs of a site, in which `meanwhile` happens; returns how many of them are there afterwards. */
async function putSite(meanwhile: (extensions: () => number) => Promise<void>): Promise<number> {
  const { deps, time } = content;
  const bus = createInProcessBus({ maxPayloadBytes: 1_048_576 });
  let extensions = 0;
  const extend = handler(extendBlobs, async (input) => {
    const extended = await answerExtendBlobs({ ...deps, blobGraceMs: SHORT_GRACE_MS }, input);
    extensions += 1;
    return extended;
  });
  const serving = await serve(bus, 'test', [extend], deps.log);
  const until = time.now + SHORT_GRACE_MS;
  const keys = await reserveBlobKeys(deps.sql, 2, until);
  const reserved = keys.map((key) => ({ key, until }));
  const config = { blobGraceMs: SHORT_GRACE_MS };
  await putKeepingReserved({ ...deps, bus, config }, reserved, async () => {
    await meanwhile(() => extensions);
    await Promise.all(keys.map((key) => deps.blobs.put(key, BYTES)));
  }).catch(() => undefined);
  await serving.drain();
  await bus.close();
  const stored = await Array.fromAsync(deps.blobs.list());
  return keys.filter((key) => stored.includes(key)).length;
}

/** Until the reservation is extended once more. */
async function untilExtended(extensions: () => number): Promise<void> {
  const before = extensions();
  // One may be under way that began earlier.
  await until('an extension', async () => extensions() > before + 1);
}

test('the blobs of a site may take longer than their first reservation', async () => {
  const kept = await putSite(async (extensions) => {
    for (let third = 0; third < 6; third++) {
      await pass(SHORT_GRACE_MS / 3);
      await untilExtended(extensions);
    }
  });
  expect(kept).toBe(2);
});

test('a reservation that is over is not extended, and the blobs of a site that arrive then are removed', async () => {
  const kept = await putSite(async (extensions) => {
    await pass(SHORT_GRACE_MS);
    await untilExtended(extensions);
  });
  expect(kept).toBe(0);
  expect((await content.audit()).forgotten).toEqual([]);
});
