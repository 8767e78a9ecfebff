import { afterEach, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { ADMIN } from '../shared-instance.ts';
import { type Address, type Client, jsonOf, ownedBy, raw, shortPath } from './support/client.ts';
import { expectError } from './support/errors.ts';
import { type EventReader, openEvents } from './support/event-reader.ts';
import {
  keyPath,
  type PublishedStore,
  postStore,
  publishStore,
  setKey,
  shortKeyPath,
  storePath,
} from './support/kv-client.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

const opened: EventReader[] = [];
afterEach(() => {
  for (const reader of opened.splice(0)) reader.close();
});

const open = async (client: Client, path: string, headers: Record<string, string> = {}) => {
  const reader = await openEvents(`${client.url}${path}`, headers);
  opened.push(reader);
  return reader;
};

/** Passes over values until the stream ends. Returns whether it said that the value is gone. */
async function untilEnd(reader: EventReader): Promise<boolean> {
  let isGone = false;
  for (let event = await reader.next(); event !== null; event = await reader.next()) {
    expect(event.data).not.toContain('secret');
    isGone ||= event.event === 'gone';
  }
  return isGone;
}

async function byOperator(method: string, path: string): Promise<void> {
  const client = perch.last;
  const response = await client.request(path, { method, headers: ADMIN });
  expect(response.ok).toBe(true);
}
const itemPath = ({ namespace, id }: Address): string => `/api/admin/items/${namespace}/${id}`;
const hide = (item: Address) => byOperator('POST', `${itemPath(item)}/hide`);
const show = (item: Address) => byOperator('POST', `${itemPath(item)}/show`);
const takeDown = (item: Address) => byOperator('DELETE', itemPath(item));
const takeDownOwner = ({ ownerToken }: { ownerToken: string }) =>
  byOperator('DELETE', `/api/admin/owners/${createHash('sha256').update(ownerToken).digest('hex')}`);

const etagAt = async (path: string): Promise<string> => (await perch.request(path)).headers.get('ETag') ?? '';

/** An end of a store: how followers of its key hear of it, and the answer to a new request at the short URL and in the API. */
interface End {
  what: string;
  end(store: PublishedStore): Promise<void>;
  /** Whether streams say so; where the item goes on under other rules they end without a word. */
  isGone: boolean;
  status: { short: number; api: number };
}

const REMOVED = { isGone: true, status: { short: 410, api: 404 } };

const ENDS: End[] = [
  { what: 'is hidden', end: hide, ...REMOVED, isGone: false },
  { what: 'is taken down', end: takeDown, ...REMOVED },
  { what: 'loses its owner', end: takeDownOwner, ...REMOVED },
];

describe.each(ENDS)('a store that $what', ({ end, isGone, status }) => {
  test('ends its streams and waits on every gateway', async () => {
    const store = await publishStore(perch);
    const paths = [
      [keyPath(store, 'first'), status.api],
      [shortKeyPath(store, 'first'), status.short],
    ] as const;
    const readers: EventReader[] = [];
    const waits: Array<[number, Promise<Response>]> = [];
    for (const client of perch.clients)
      for (const [path, expected] of paths) {
        const reader = await open(client, path);
        expect((await reader.next())?.data).toBe('1');
        readers.push(reader);
        const headers = { 'If-None-Match': await etagAt(path) };
        waits.push([expected, client.request(`${path}?wait=30`, { headers })]);
      }
    await Bun.sleep(200);
    await end(store);
    for (const reader of readers) expect(await untilEnd(reader)).toBe(isGone);
    for (const [expected, waiting] of waits)
      await expectError(await waiting, expected, expected === 410 ? 'GONE' : 'NOT_FOUND');
    for (const client of perch.clients)
      for (const [path, expected] of paths) expect((await open(client, path)).status).toBe(expected);
  });
});

test('a store that is made anew with a password is for those who have it, also where it was followed', async () => {
  const store = await publishStore(perch);
  const path = keyPath(store, 'first');
  const readers = await Promise.all(perch.clients.map((client) => open(client, path)));
  for (const reader of readers) await reader.next();
  const headers = { 'If-None-Match': await etagAt(path) };
  const waits = perch.clients.map((client) => client.request(`${path}?wait=30`, { headers }));
  await Bun.sleep(200);
  expect((await perch.request(storePath(store), { method: 'DELETE', ...ownedBy(store) })).status).toBe(204);
  const { namespace: ns, id, ownerToken } = store;
  const again = await postStore(
    perch,
    { key: 'first', value: 'secret' },
    { query: { ns, id }, headers: { 'X-Password': 'correct horse', 'X-Owner-Token': ownerToken } },
  );
  expect(again.status).toBe(201);
  for (const reader of readers) await untilEnd(reader);
  for (const response of await Promise.all(waits)) {
    // 404 to a wait that was told of the removal and asked before there was a new store.
    expect([403, 404]).toContain(response.status);
    expect(await response.text()).not.toContain('secret');
  }
  for (const client of perch.clients) {
    expect((await open(client, path)).status).toBe(403);
    const reader = await open(client, path, { 'X-Password': 'correct horse' });
    expect((await reader.next())?.data).toBe('"secret"');
  }
});

test('the owner goes on following a hidden store in the API, and others do when it is shown again', async () => {
  const store = await publishStore(perch, { value: 'before' });
  const path = keyPath(store, 'first');
  await hide(store);
  for (const client of perch.clients) {
    const reader = await open(client, path, { 'X-Owner-Token': store.ownerToken });
    expect((await reader.next())?.data).toBe('"before"');
    const headers = { ...ownedBy(store).headers, 'If-None-Match': await ownTag(path, store) };
    const waiting = client.request(`${path}?wait=30`, { headers });
    await Bun.sleep(200);
    await setKey(client, store, 'first', 'corrected');
    expect((await reader.next())?.data).toBe('"corrected"');
    expect(await jsonOf(await waiting)).toMatchObject({ value: 'corrected' });
    await setKey(client, store, 'first', 'before');
  }
  await show(store);
  for (const client of perch.clients)
    expect((await (await open(client, path)).next())?.data).toBe('"before"');
});

const ownTag = async (path: string, store: PublishedStore): Promise<string> =>
  (await perch.request(path, ownedBy(store))).headers.get('ETag') ?? '';

test.each([
  ['is hidden', hide, false],
  ['is taken down', takeDown, true],
] as const)('a page that %s ends the live reload of those who look at it', async (_, end, isGone) => {
  const page = await perch.publish(raw('<p>live', 'text/html', { query: { showTopBar: true } }));
  const address = `${shortPath(page)}?live=1`;
  const readers = await Promise.all(perch.clients.map((client) => open(client, address)));
  for (const reader of readers) expect(await reader.next()).toMatchObject({ event: 'message' });
  await end(page);
  for (const reader of readers) expect(await untilEnd(reader)).toBe(isGone);
  for (const client of perch.clients) expect((await open(client, address)).status).toBe(410);
});
