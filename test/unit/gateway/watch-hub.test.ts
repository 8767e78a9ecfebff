import { afterEach, expect, test } from 'bun:test';
import pino from 'pino';
import { until } from '../../../infra/until.ts';
import type { Snapshot, Topic, Watcher } from '../../../services/gateway/live/topic.ts';
import { createWatchHub, type WatchHub } from '../../../services/gateway/live/watch-hub.ts';
import { createInProcessBus } from '../../../shared/adapters/bus/in-process.ts';
import { publishChange } from '../../../shared/contracts/changes.ts';
import type { Bus } from '../../../shared/ports/bus.ts';

const log = pino({ level: 'silent' });
const hubs: WatchHub[] = [];
afterEach(async () => {
  for (const hub of hubs.splice(0)) await hub.leave();
});

const HOUR = 3_600_000;
const soon = (what: string, check: () => boolean): Promise<void> => until(what, async () => check(), 20_000);

/** A value in memory, with how often it was read. */
function value(item = { namespace: 'public', id: 'a.b' }, key: string | null = 'k') {
  const state = {
    now: {
      order: 1,
      id: '1',
      state: '1',
      data: '"1"',
      access: 'a',
      expiresAt: Date.now() + HOUR,
    } as Snapshot | null,
    reads: 0,
    fails: false,
    gate: Promise.resolve(),
  };
  const topic: Topic = {
    item,
    key,
    async read() {
      state.reads += 1;
      const { now } = state;
      await state.gate;
      if (state.fails) throw new Error('not now');
      return now;
    },
  };
  const set = (order: number, more: Partial<Snapshot> = {}): void => {
    const earlier = state.now ?? { access: 'a', expiresAt: Date.now() + HOUR };
    state.now = { ...earlier, order, id: `${order}`, state: `${order}`, data: `"${order}"`, ...more };
  };
  return { state, topic, set, known: state.now as Snapshot };
}

function watcher() {
  const seen: string[] = [];
  const told: Watcher = {
    changed: ({ data }) => void seen.push(String(data)),
    ended: (why) => void seen.push(why),
  };
  return { seen, told };
}

function hubOn(bus: Pick<Bus, 'listen' | 'onReturn'>, now = (): number => Date.now()): WatchHub {
  const hub = createWatchHub({ bus, log, clock: { now } });
  hubs.push(hub);
  return hub;
}

const busOf = () => createInProcessBus({ maxPayloadBytes: 1_000 });

/** A bus on which nothing is ever heard. */
const deaf = (): Pick<Bus, 'listen' | 'onReturn'> & { comesBack(): void } => {
  const listeners: Array<() => void> = [];
  return {
    listen: async () => ({ drain: async () => undefined }),
    onReturn: (listener) => void listeners.push(listener),
    comesBack() {
      for (const listener of listeners) listener();
    },
  };
};

test('a change is read once for all who watch, and only by those who watch that key', async () => {
  const bus = busOf();
  const hub = hubOn(bus);
  const one = value();
  const other = value({ namespace: 'public', id: 'a.b' }, 'other');
  const [many, elsewhere] = [Array.from({ length: 1_000 }, watcher), watcher()];
  for (const { told } of many) hub.watch(one.topic, one.known, told);
  hub.watch(other.topic, other.known, elsewhere.told);
  await soon('the first look', () => one.state.reads > 0 && other.state.reads > 0);
  await Bun.sleep(50);
  const [reads, readsElsewhere] = [one.state.reads, other.state.reads];
  one.set(2);
  publishChange(bus, one.topic.item, 'k');
  await soon('all are told', () => many.every(({ seen }) => seen.length === 1));
  expect(one.state.reads).toBe(reads + 1);
  expect(other.state.reads).toBe(readsElsewhere);
  expect(elsewhere.seen).toEqual([]);
  expect(hub.topics).toBe(2);
});

test('changes while a value is read are one more read, and watchers get the latest, never an older one', async () => {
  const bus = busOf();
  const hub = hubOn(bus);
  const { state, topic, set, known } = value();
  const { seen, told } = watcher();
  hub.watch(topic, known, told);
  await soon('the first look', () => state.reads > 0);
  await Bun.sleep(50);
  const before = state.reads;
  const gate = Promise.withResolvers<void>();
  state.gate = gate.promise;
  for (let order = 2; order <= 100; order++) {
    set(order);
    publishChange(bus, topic.item, 'k');
    await Bun.sleep(0);
  }
  gate.resolve();
  await soon('the latest', () => seen.at(-1) === '"100"');
  expect(state.reads - before).toBeLessThanOrEqual(3);
  expect(seen.length).toBeLessThanOrEqual(2);
  // A stale cache tells an older state.
  set(50);
  publishChange(bus, topic.item);
  await Bun.sleep(50);
  expect(seen.at(-1)).toBe('"100"');
});

test('without any message the latest value is there after a look, and at once when the bus is back', async () => {
  const bus = deaf();
  const hub = hubOn(bus);
  const { state, topic, set, known } = value();
  const { seen, told } = watcher();
  hub.watch(topic, known, told);
  await soon('the first look', () => state.reads > 0);
  set(2);
  await soon('the look', () => seen.at(-1) === '"2"');
  set(3);
  bus.comesBack();
  await soon('the return', () => seen.at(-1) === '"3"');
});

test.each(['when the bus is back', 'with a later look'])(
  'an item that could not be listened to is listened to %s, by one subscription',
  async (when) => {
    const bus = busOf();
    let isAway = true;
    let listened = 0;
    const returns: Array<() => void> = [];
    const hub = hubOn({
      onReturn: (listener) => void returns.push(listener),
      listen: async (...args) => {
        listened += 1;
        if (isAway) throw new Error('away');
        return await bus.listen(...args);
      },
    });
    const { state, topic, set, known } = value();
    const { seen, told } = watcher();
    hub.watch(topic, known, told);
    await soon('a failure', () => listened > 0);
    isAway = false;
    const failed = listened;
    if (when === 'when the bus is back') for (const comesBack of returns) comesBack();
    await soon('the next try', () => listened > failed);
    for (const comesBack of returns) comesBack();
    await soon('the looks', () => state.reads > 1);
    await Bun.sleep(50);
    expect(listened).toBe(failed + 1);
    set(2);
    const { reads } = state;
    publishChange(bus, topic.item, 'k');
    await soon('the change', () => seen.at(-1) === '"2"');
    expect(state.reads).toBe(reads + 1);
  },
);

test.each([
  ['is gone', null],
  ['has another password', { access: 'b' }],
])('a read that finds that a value %s ends only those who had joined before it', async (_, found) => {
  const bus = busOf();
  const hub = hubOn(bus);
  const { state, topic, set, known } = value();
  const [early, late] = [watcher(), watcher()];
  hub.watch(topic, known, early.told);
  await soon('the first look', () => state.reads > 0);
  await Bun.sleep(50);
  const gate = Promise.withResolvers<void>();
  state.gate = gate.promise;
  if (found === null) state.now = null;
  else set(2, found);
  const { reads } = state;
  publishChange(bus, topic.item, 'k');
  await soon('the read', () => state.reads > reads);
  set(3, { access: 'c' });
  const again = state.now as Snapshot | null;
  if (again === null) throw new Error('it is there again');
  hub.watch(topic, again, late.told);
  gate.resolve();
  await soon('the end of the early one', () => early.seen.length > 0);
  set(4, { access: 'c' });
  publishChange(bus, topic.item, 'k');
  await soon('the change for the late one', () => late.seen.at(-1) === '"4"');
  expect(late.seen).toEqual(['"4"']);
  expect(early.seen).toEqual([found === null ? 'gone' : 'ask-anew']);
});

test('a value that cannot be read is read again', async () => {
  const hub = hubOn(deaf());
  const { state, topic, set, known } = value();
  const { seen, told } = watcher();
  state.fails = true;
  hub.watch(topic, known, told);
  set(2);
  await soon('a failure', () => state.reads >= 2);
  state.fails = false;
  await soon('the value', () => seen.at(-1) === '"2"');
});

test('a change between the read of a client and its watch is told, also to who joins others later', async () => {
  const bus = busOf();
  const hub = hubOn(bus);
  const { topic, set, known } = value();
  const [first, late] = [watcher(), watcher()];
  set(2);
  hub.watch(topic, known, first.told);
  await soon('the change before', () => first.seen.at(-1) === '"2"');
  hub.watch(topic, known, late.told);
  await soon('the change for the later one', () => late.seen.at(-1) === '"2"');
  expect(first.seen).toEqual(['"2"']);
});

test('a value that is gone, that has another password, or whose time is over, ends what watches it', async () => {
  for (const [why, change] of [
    ['gone', (one: ReturnType<typeof value>) => (one.state.now = null)],
    ['ask-anew', (one: ReturnType<typeof value>) => one.set(2, { access: 'b' })],
  ] as const) {
    const bus = busOf();
    const hub = hubOn(bus);
    const one = value();
    const { seen, told } = watcher();
    hub.watch(one.topic, one.known, told);
    change(one);
    publishChange(bus, one.topic.item);
    await soon(why, () => seen.at(-1) === why);
    expect(seen).toEqual([why]);
    expect(hub.topics).toBe(0);
  }
  let now = Date.now();
  const hub = hubOn(deaf(), () => now);
  const one = value();
  const { seen, told } = watcher();
  hub.watch(one.topic, one.known, told);
  await soon('the first look', () => one.state.reads > 0);
  await Bun.sleep(50);
  one.state.now = null;
  now += 2 * HOUR;
  await until('the end of its time', async () => seen.at(-1) === 'gone', 2_000);
});

test('who has stopped is told nothing, and what nobody watches is not read', async () => {
  const bus = busOf();
  const hub = hubOn(bus);
  const { state, topic, set, known } = value();
  const { seen, told } = watcher();
  const stop = hub.watch(topic, known, told);
  await soon('the first look', () => state.reads > 0);
  stop();
  stop();
  expect(hub.topics).toBe(0);
  await Bun.sleep(50);
  const { reads } = state;
  set(2);
  publishChange(bus, topic.item, 'k');
  await Bun.sleep(100);
  expect([seen.length, state.reads]).toEqual([0, reads]);
});

test('a process that leaves ends all, and takes no more', async () => {
  const hub = hubOn(busOf());
  const { topic, known } = value();
  const all = Array.from({ length: 600 }, watcher);
  for (const { told } of all) hub.watch(topic, known, told);
  await hub.leave();
  const late = watcher();
  hub.watch(topic, known, late.told);
  expect([...all, late].every(({ seen }) => seen.length === 1 && seen[0] === 'leaving')).toBe(true);
  expect(hub.topics).toBe(0);
});

test('a value that is made again under the id of the one before is told', async () => {
  const bus = busOf();
  const hub = hubOn(bus);
  const one = value();
  const { seen, told } = watcher();
  hub.watch(one.topic, one.known, told);
  one.set(5, { id: one.known.id });
  publishChange(bus, { namespace: 'public', id: 'a.b' }, 'k');
  await soon('the value is told', () => seen.length > 0);
  expect(seen).toEqual(['"5"']);
});
