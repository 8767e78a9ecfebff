import { expect, test } from 'bun:test';
import { createHtml } from '../../services/content/operations/html.ts';
import {
  finishTakedowns,
  orderTakedown,
  takeDownOwner,
} from '../../services/content/operations/take-down-owner.ts';
import { startContent } from '../../services/content/service.ts';
import { createInProcessBus } from '../../shared/adapters/bus/in-process.ts';
import { loadConfig } from '../../shared/config.ts';
import { call } from '../../shared/contracts/call.ts';
import { takeDownMany } from '../../shared/contracts/takedowns.ts';
import { errors } from '../../shared/errors.ts';
import type { ItemRef } from '../../shared/items/item.ts';
import { findItem } from '../../shared/items/item-repository.ts';
import type { Database, Query } from '../../shared/items/sql.ts';
import { readWatermark } from '../../shared/items/watermarks.ts';
import { createLoadShedding } from '../../shared/load-shedding.ts';
import type { EventStream } from '../../shared/ports/event-stream.ts';
import { BUS_PAYLOAD_BYTES } from '../../shared/wiring/dependencies.ts';
import { soon } from '../call-context.ts';
import { startContentOperations } from '../faults/content-operations.ts';
import { until } from '../faults/waiting.ts';
import { useStarted } from '../started.ts';

const content = useStarted(
  () => startContentOperations(),
  (started) => started.end(),
);

const publish = async (ownerHash: string): Promise<ItemRef> => {
  const input = await content.createInput(`<p>${crypto.randomUUID()}`, { ownerHash });
  const { item } = await createHtml(content.deps, input, soon());
  return { namespace: item.namespace, id: item.id };
};

const stateInCache = async (item: ItemRef) => (await content.deps.cache.visit(item, false)).record?.state;

/** A database that is lost after each commit of a removal, before its client hears of it. */
function lostAfterRemovals(): Database {
  const { sql } = content.deps;
  const begin = async (work: (tx: Query) => Promise<unknown>): Promise<unknown> => {
    let removes = false;
    const outcome = await sql.begin((tx) => work(watched(tx, () => (removes = true))));
    if (removes) throw errors.unavailable('database');
    return outcome;
  };
  return new Proxy(sql, {
    get: (target, name) => (name === 'begin' ? begin : Reflect.get(target, name)),
  });
}

/** A transaction that tells when it removes items. */
const watched = (tx: Query, onRemoval: () => void): Query =>
  new Proxy(tx, {
    apply(target, self, args) {
      const [parts] = args;
      if (Array.isArray(parts) && parts.join('?').includes('delete from items')) onRemoval();
      return Reflect.apply(target, self, args);
    },
  });

test('a takedown of an owner that the sweep could not announce is told to the repair pass', async () => {
  const { deps } = content;
  const item = await publish('swept');
  await orderTakedown(deps.sql, 'swept', deps.clock.now());
  let missed = 0;
  const cut = { ...deps, sql: lostAfterRemovals(), announcementMissed: () => missed++ };
  await expect(finishTakedowns(cut)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect([await findItem(deps.sql, item), await stateInCache(item), missed]).toEqual([null, 'live', 1]);
});

test('a takedown of many that could not be announced is brought to the cache by a repair pass soon', async () => {
  const { deps } = content;
  const { blobs, cache, clock, log, turns } = deps;
  const [first, second] = [await publish('many'), await publish('many')];
  await using running = new AsyncDisposableStack();
  const bus = createInProcessBus({ maxPayloadBytes: BUS_PAYLOAD_BYTES });
  running.defer(() => bus.close());
  const service = await startContent({
    bus,
    blobs,
    cache,
    clock,
    log,
    loadShedding: createLoadShedding(log),
    scanning: null,
    // Further rounds of the sweep come only when they are called for.
    config: { ...loadConfig({}), sweepIntervalMs: 3_600_000 },
    events: {} as EventStream,
    sql: lostAfterRemovals(),
    turns,
    onDatabaseLost: () => undefined,
    openMaintenance: () => {
      throw new Error('only analytics asks for it');
    },
  });
  running.defer(() => service.stop());
  // From here on no pass tells of a removal, unless one is called for.
  await until('the first pass is over', async () => (await readWatermark(deps.sql, 'route-repair')) > 0);
  const taking = call(
    bus,
    takeDownMany,
    {
      target: { by: 'owner', value: 'many' },
      blockContent: false,
      reason: 'Phishing.',
      limit: 1,
    },
    soon(),
  );
  await expect(taking).rejects.toMatchObject({ code: 'TIMEOUT', mayBeDone: true });
  const rows = await Promise.all([first, second].map((item) => findItem(deps.sql, item)));
  expect(rows.filter((row) => row === null)).toHaveLength(1);
  const gone = rows[0] === null ? first : second;
  expect(await stateInCache(gone)).toBe('live');
  await until('the cache knows', async () => (await stateInCache(gone)) === 'removed');
});

test('a takedown of an owner that cannot be finished says that it goes on', async () => {
  const { deps } = content;
  const item = await publish('goes on');
  const actor = { clientIp: '192.0.2.1', via: 'api' as const, note: null };
  const cut = { ...deps, sql: lostAfterRemovals(), announcementMissed: () => undefined };
  const taking = takeDownOwner(cut, { ownerId: 'goes on', clientIp: '192.0.2.1', actor }, soon());
  await expect(taking).rejects.toMatchObject({ code: 'TIMEOUT', mayBeDone: true });
  expect(await findItem(deps.sql, item)).toBeNull();
});

test('a takedown of an owner goes on with what they publish just before it ends', async () => {
  const { deps } = content;
  await publish('busy');
  let published = 0;
  const sql = new Proxy(deps.sql, {
    apply(target, self, args) {
      const [parts] = args;
      const isEnd = Array.isArray(parts) && parts.join('?').includes('delete from owner_takedowns');
      const statement = () => Reflect.apply(target, self, args);
      return isEnd && published++ === 0 ? publish('busy').then(statement) : statement();
    },
  });
  const actor = { clientIp: '192.0.2.1', via: 'api' as const, note: null };
  const taking = takeDownOwner({ ...deps, sql }, { ownerId: 'busy', clientIp: '192.0.2.1', actor }, soon());
  expect(await taking).toEqual({ items: 2 });
});

test('a takedown is told to the cache by what its transaction knows, when the database is lost right after the commit', async () => {
  const { deps } = content;
  const item = await publish('known');
  await orderTakedown(deps.sql, 'known', deps.clock.now());
  let isLost = false;
  const begin: Database['begin'] = (async (work: (tx: Query) => Promise<unknown>) => {
    const outcome = await deps.sql.begin(work);
    isLost = true;
    return outcome;
  }) as Database['begin'];
  const cut = {
    ...deps,
    sql: new Proxy(deps.sql, {
      get: (target, name) => (name === 'begin' ? begin : Reflect.get(target, name)),
      apply: (target, self, args) =>
        isLost ? Promise.reject(errors.unavailable('database')) : Reflect.apply(target, self, args),
    }),
  };
  await finishTakedowns(cut);
  expect([await findItem(deps.sql, item), await stateInCache(item)]).toEqual([null, 'removed']);
});
