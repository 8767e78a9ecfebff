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
import { OWNER, putInput, useKvOperations } from './kv-operations.ts';

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
    const { sql, cache, clock, log } = kv.deps;
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
      onDatabaseLost: () => undefined,
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
