import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startNats } from '../../infra/servers/nats.ts';
import { startKv } from '../../services/kv/service.ts';
import { createInProcessBus } from '../../shared/adapters/bus/in-process.ts';
import { createNatsBus } from '../../shared/adapters/bus/nats.ts';
import { loadConfig } from '../../shared/config.ts';
import { call } from '../../shared/contracts/call.ts';
import * as contract from '../../shared/contracts/kv.ts';
import { LIMITS } from '../../shared/items/item.ts';
import { createLoadShedding } from '../../shared/load-shedding.ts';
import type { BlobStore } from '../../shared/ports/blob-store.ts';
import type { Bus } from '../../shared/ports/bus.ts';
import type { EventStream } from '../../shared/ports/event-stream.ts';
import { BUS_PAYLOAD_BYTES } from '../../shared/wiring/dependencies.ts';
import { START_LIMIT_MS, startOwn } from '../servers.ts';
import { OWNER, type PutInput, putInput, useKvOperations } from './kv-operations.ts';

const kv = useKvOperations();
const context = () => ({ requestId: 'test', deadline: Date.now() + 15_000 });

/** Each starts a bus of the test's own: on a shared one another Perch might answer. */
const BUSES: Record<string, () => Promise<{ bus: Bus; end(): Promise<void> }>> = {
  async 'in-process'() {
    const bus = createInProcessBus({ maxPayloadBytes: BUS_PAYLOAD_BYTES });
    return { bus, end: () => bus.close() };
  },
  async nats() {
    const server = await startOwn(startNats);
    const options = { url: server.url, name: 'test', minPayloadBytes: BUS_PAYLOAD_BYTES, log: kv.deps.log };
    const bus = await createNatsBus(options);
    const end = async (): Promise<void> => {
      await bus.close();
      await server.end();
    };
    return { bus, end };
  },
};

/** Content that takes most room as JSON within JSON, for its size. */
const WORST = {
  'control characters': '\u0001',
  quotes: '"',
  backslashes: '\\',
  'two-byte characters': 'é',
  'four-byte characters': '😀',
};

describe.each(Object.keys(BUSES))('on the %s bus', (name) => {
  const running = new AsyncDisposableStack();
  let bus: Bus;

  beforeAll(async () => {
    const started = await BUSES[name]?.();
    if (started === undefined) throw new Error('no such bus');
    running.defer(started.end);
    bus = started.bus;
    const { sql, turns, cache, clock, log } = kv.deps;
    const config = { ...loadConfig({}), cookieSecret: 'x'.repeat(32) };
    // The operations under test need neither blobs nor events.
    const service = await startKv({
      config,
      bus,
      blobs: {} as BlobStore,
      cache,
      events: {} as EventStream,
      clock,
      log,
      loadShedding: createLoadShedding(log),
      sql,
      turns,
      scanning: null,
      onDatabaseLost: () => undefined,
      openMaintenance: () => {
        throw new Error('only analytics asks for it');
      },
    });
    running.defer(() => service.stop());
  }, START_LIMIT_MS);

  afterAll(() => running.disposeAsync());

  test('every operation answers', async () => {
    const { item } = await call(bus, contract.createKv, kv.createInput({ namespace: name }), context());
    const { namespace, id, code: store } = item;
    const owned = { namespace, id, ownerHash: OWNER };
    const put = await call(bus, contract.putEntry, putInput(item, 'second', 'two'), context());
    expect(put).toMatchObject({ created: true, entry: { key: 'second' } });
    expect(await call(bus, contract.readEntry, { namespace, id, store, key: 'second' }, context())).toEqual({
      entry: { ...put.entry, value: '"two"' },
    });
    const { entries } = await call(
      bus,
      contract.listEntries,
      { namespace, id, store, valuesUpTo: 0 },
      context(),
    );
    expect(entries.map(({ key }) => key)).toEqual(['first', 'second']);
    await call(bus, contract.removeEntry, { ...owned, key: 'first', ifMatch: null }, context());
    const page = { namespace, ownerHash: OWNER, after: null, offset: 0, limit: 10 };
    const { items } = await call(bus, contract.listKv, page, context());
    expect(items).toMatchObject([{ id, keyCount: 1, sizeBytes: 3 }]);
    await call(bus, contract.removeKv, owned, context());
    expect((await call(bus, contract.listKv, page, context())).total).toBe(0);
    expect(await call(bus, contract.pingKv, {}, context())).toEqual({});
  });

  test('of writes that travel together each has its own outcome, and all others are done', async () => {
    const [store, gone] = [await kv.store({ namespace: name }), await kv.store({ namespace: name })];
    const keys = Array.from({ length: 40 }, (_, n) => `k${n}`);
    for (const key of [...keys, 'held'])
      await call(bus, contract.putEntry, putInput(store, key, 'old'), context());
    await call(
      bus,
      contract.removeKv,
      { namespace: gone.namespace, id: gone.id, ownerHash: OWNER },
      context(),
    );
    const put = (key: string, changes: Partial<PutInput> = {}, deadline = context().deadline) =>
      call(bus, contract.putEntry, putInput(store, key, 'new', changes), { requestId: key, deadline });
    const codeOf = (asked: Promise<unknown>): Promise<string> =>
      asked.then(
        () => 'done',
        (error: { code?: string }) => error.code ?? 'none',
      );
    await kv.deps.sql.begin(async (tx) => {
      await tx`select 1 from kv_entries where id = ${store.id} and key = 'held' for update`;
      const others = keys.map((key) => codeOf(put(key)));
      const odd = [
        codeOf(call(bus, contract.putEntry, putInput(gone, 'first', 'new'), context())),
        codeOf(put('k1', { ownerHash: 'a stranger' })),
        codeOf(put('k2', { ifMatch: ['0'] })),
        codeOf(put('k3', { ifAbsent: true })),
        // More than the column takes.
        codeOf(put('bad', { sizeBytes: 2 ** 40 })),
        // Its row is held for longer than its caller waits.
        codeOf(put('held', {}, Date.now() + 3_000)),
      ];
      expect(await Promise.all(others)).toEqual(keys.map(() => 'done'));
      expect(await Promise.all(odd)).toEqual([
        ...['NOT_FOUND', 'OWNER_TOKEN_WRONG', 'PRECONDITION_FAILED', 'PRECONDITION_FAILED'],
        ...['INTERNAL', 'UNAVAILABLE'],
      ]);
    });
    const stored = Object.fromEntries((await kv.stored(store)).map(({ key, value }) => [key, value]));
    expect(keys.filter((key) => stored[key] !== '"new"')).toEqual([]);
    expect(stored.held).toBe('"old"');
    expect(stored.bad).toBeUndefined();
    expect(await put('held')).toMatchObject({ created: false, entry: { version: 2 } });
  });

  test('of values that are to be replaced in one message each has its own outcome, and none waits', async () => {
    const [store, gone] = [await kv.store({ namespace: name }), await kv.store({ namespace: name })];
    const keys = Array.from({ length: 20 }, (_, n) => `k${n}`);
    for (const key of [...keys, 'held'])
      await call(bus, contract.putEntry, putInput(store, key, 'old'), context());
    const owned = { namespace: gone.namespace, id: gone.id, ownerHash: OWNER };
    await call(bus, contract.removeKv, owned, context());
    const write = (key: string, changes: Partial<PutInput> = {}, at = store) => {
      const { ifMatch, ifAbsent, ...rest } = putInput(at, key, `new ${key}`, changes);
      return rest;
    };
    await kv.deps.sql.begin(async (tx) => {
      await tx`select 1 from kv_entries where id = ${store.id} and key = 'held' for update`;
      const odd = [
        ...[write('missing'), write('k0', { ownerHash: 'a stranger' }), write('first', {}, gone)],
        ...[write('held'), write('k1', { sizeBytes: 2 ** 40 })],
      ];
      const writes = [...odd, ...keys.slice(2).map((key) => write(key)), write('k2', { value: '"last"' })];
      const { outcomes } = await call(bus, contract.replaceEntries, { writes }, context());
      expect(outcomes.slice(0, 4)).toEqual([null, null, null, null]);
      expect(outcomes[4]).toMatchObject({ failure: { code: 'INTERNAL' } });
      // Of two values for one key the second is left out.
      expect(outcomes.at(-1)).toBeNull();
      const replaced = outcomes.slice(5, -1);
      expect(
        replaced.map((outcome) => (outcome !== null && 'entry' in outcome ? outcome.entry : null)),
      ).toMatchObject(keys.slice(2).map((key) => ({ key, version: 2 })));
    });
    const stored = Object.fromEntries((await kv.stored(store)).map(({ key, value }) => [key, value]));
    expect([stored.held, stored.k0, stored.k1, stored.k2]).toEqual(['"old"', '"old"', '"old"', '"new k2"']);
    for (const key of keys.slice(3)) expect(stored[key]).toBe(`"new ${key}"`);
    for (const key of ['k2', 'k3']) {
      const { entry } = await kv.deps.cache.visitEntry(store, key, false);
      expect(entry?.entry).toMatchObject({ value: stored[key] ?? '' });
    }
  });

  test.each([
    [0, 'INTERNAL'],
    [1, 'done'],
    [contract.MAX_REPLACED, 'done'],
    [contract.MAX_REPLACED + 1, 'INTERNAL'],
  ])('a message of %d values: %s', async (count, expected) => {
    const store = await kv.store({ namespace: name });
    const { ifMatch, ifAbsent, ...first } = putInput(store, 'first', 'new');
    const writes = Array.from({ length: count }, () => first);
    const asked = call(bus, contract.replaceEntries, { writes }, context());
    expect(
      await asked.then(
        () => 'done',
        ({ code }) => code,
      ),
    ).toBe(expected);
  });

  test('values whose caller waits no more are not replaced', async () => {
    const store = await kv.store({ namespace: name });
    const { ifMatch, ifAbsent, ...late } = putInput(store, 'first', 'late');
    const asked = call(
      bus,
      contract.replaceEntries,
      { writes: [late] },
      { requestId: 'late', deadline: Date.now() + 200 },
    );
    await expect(asked).rejects.toMatchObject({ code: 'TIMEOUT' });
    expect(await kv.stored(store)).toMatchObject([{ value: '"one"' }]);
  });

  test('of one key that many write at once each write has a version of its own', async () => {
    const store = await kv.store({ namespace: name });
    const written = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        call(bus, contract.putEntry, putInput(store, 'first', `${n}`), context()),
      ),
    );
    const versions = written.map(({ entry }) => entry.version);
    expect(versions.toSorted((a, b) => a - b)).toEqual(versions.map((_, n) => n + 2));
    const [last] = written.filter(({ entry }) => entry.version === 41);
    expect(await kv.stored(store)).toMatchObject([{ key: 'first', sequence: last?.entry.sequence }]);
  });

  test.each(Object.entries(WORST))('the largest text of %s travels both ways', async (_, character) => {
    const key = '"'.repeat(LIMITS.kvKeyCharacters);
    const text = character.repeat(LIMITS.kvValueBytes / Buffer.byteLength(character));
    const entry = { key, value: JSON.stringify(text), sizeBytes: LIMITS.kvValueBytes };
    const tags = Array.from({ length: LIMITS.tags }, (_tag, n) => `${n}`.padStart(LIMITS.tagCharacters, '"'));
    const title = '"'.repeat(LIMITS.titleCharacters);
    const create = kv.createInput({ title, tags, entry });
    const { item } = await call(bus, contract.createKv, create, context());
    const { namespace, id, code: store } = item;
    const input = putInput(item, key, text);
    expect(await call(bus, contract.putEntry, input, context())).toMatchObject({ entry: { version: 2 } });
    const found = await call(bus, contract.readEntry, { namespace, id, store, key }, context());
    expect(found.entry?.sizeBytes).toBe(LIMITS.kvValueBytes);
    expect(JSON.parse(found.entry?.value ?? '') === text).toBe(true);
  });
});
