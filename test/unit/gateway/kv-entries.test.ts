import { expect, test } from 'bun:test';
import pino from 'pino';
import { createStoreEntries } from '../../../services/gateway/kinds/kv/entries.ts';
import { createInProcessBus } from '../../../shared/adapters/bus/in-process.ts';
import { listEntries, readEntry } from '../../../shared/contracts/kv.ts';
import { handler, serve } from '../../../shared/contracts/serve.ts';
import { steadyNow } from '../../../shared/deadline.ts';
import type { Entry } from '../../../shared/items/entry.ts';
import type { ItemRecordOf } from '../../../shared/items/item-record.ts';

const RECORD: ItemRecordOf<'kv'> = {
  namespace: 'public',
  id: 'store',
  version: 1,
  expiresAt: Date.now() + 60_000,
  state: 'live',
  kind: 'kv',
  code: 'abcdefg',
  title: '',
  tags: [],
  sizeBytes: 1,
  createdAt: 1,
  updatedAt: 1,
  ownerHash: 'owner',
  passwordHash: null,
  content: {},
};
const ENTRY: Entry = { key: 'key', value: '1', sizeBytes: 1, version: 1, sequence: 7, updatedAt: 1 };

/** The reader over services that answer as a test says, when it says so. */
async function reader(options: { entry?: Entry | null } = {}) {
  const { entry = ENTRY } = options;
  const bus = createInProcessBus({ maxPayloadBytes: 1_048_576 });
  const answer = Promise.withResolvers<void>();
  const asked = { entries: 0, stores: [] as string[] };
  const operations = [
    handler(readEntry, async ({ store }) => {
      asked.entries += 1;
      asked.stores.push(store);
      await answer.promise;
      return { entry };
    }),
    handler(listEntries, async ({ store }) => {
      asked.stores.push(store);
      return { entries: entry === null ? [] : [{ ...entry, value: null }] };
    }),
  ];
  await serve(bus, 'test', operations, pino({ level: 'silent' }));
  const entries = createStoreEntries(bus);
  const context = { requestId: 'test', deadline: steadyNow() + 5_000 };
  const read = (sequence: number | null, known: Entry | null = null, store = RECORD.code, own = context) =>
    entries.read(
      RECORD,
      'key',
      sequence === null ? null : { store, key: 'key', sequence, entry: known },
      own,
    );
  return { asked, read, answer: answer.resolve, list: () => entries.list(RECORD, 0, context) };
}

test('what the cache has is not asked for', async () => {
  const { asked, read } = await reader();
  expect(await read(7, ENTRY)).toEqual(ENTRY);
  expect(asked.entries).toBe(0);
});

test('a record of an earlier store under the address counts for nothing', async () => {
  const { read, answer } = await reader();
  answer();
  expect(await read(99, { ...ENTRY, value: '"of the earlier store"' }, 'earlier')).toEqual(ENTRY);
});

test('readers who come while a call is under way share the next one, as that one may be too old', async () => {
  const { asked, read, answer } = await reader();
  const reads = [read(null), read(null), read(5), read(5), read(6)];
  while (asked.entries < 1) await Bun.sleep(1);
  answer();
  expect(await Promise.all(reads)).toEqual(reads.map(() => ENTRY));
  expect(asked.entries).toBe(2);
  await read(6);
  expect(asked.entries).toBe(3);
});

test('a key that is not there', async () => {
  const { read, answer } = await reader({ entry: null });
  answer();
  await expect(read(null)).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: expect.stringContaining('key'),
  });
});

test('the service is told which store the reader was let in to', async () => {
  const { asked, read, list, answer } = await reader();
  answer();
  await read(null);
  await list();
  expect(asked.stores).toEqual([RECORD.code, RECORD.code]);
});

test('a reader who waits for the call of one with little time left is answered all the same', async () => {
  const { asked, read, answer } = await reader();
  const hurried = read(null, null, RECORD.code, { requestId: 'hurried', deadline: steadyNow() + 50 });
  const reading = read(null);
  await expect(hurried).rejects.toMatchObject({ code: 'TIMEOUT' });
  answer();
  expect(await reading).toEqual(ENTRY);
  expect(asked.entries).toBe(2);
});
