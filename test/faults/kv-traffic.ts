import { OWNER_TOKEN, type Seen, send, summary } from './client.ts';
import { insist } from './insist.ts';
import { type Change, createLane, type Lane } from './kv-lane.ts';
import { until } from './waiting.ts';

/** Writers and readers of the keys of one store, over all gateways. */
export interface KvTraffic {
  /** Until so many more changes have been acknowledged. */
  moreChanges(count: number): Promise<void>;
  /** Whether reads may be behind the changes from now on. */
  mayBeBehind(allowed: boolean): void;
  /** Ends with a change of every key that is acknowledged; nothing is under way any more. */
  stop(): Promise<void>;
  /** After the end: what of every key's last change is not there, on any gateway and at any address. */
  missing(): Promise<string[]>;
  /** How many changes were refused, or not answered. */
  refused(): number;
  /** What those were answered, as `summary` says it, each once. */
  refusals(): string[];
  /** Broken promises: a lost change, an old value, an answer that is not documented. */
  faults(): string[];
}

interface KvTrafficOptions {
  gateways: string[];
  keys?: number;
  /** Whether connections may break, as where a gateway is killed. */
  mayBreakOff?: boolean;
}

const OWNER = { 'X-Owner-Token': OWNER_TOKEN };
const JSON_BY_OWNER = { ...OWNER, 'Content-Type': 'application/json' };

/** Between two attempts of a writer who was refused, in ms. */
const PATIENCE_MS = 100;

/** Of the values every other one is too large for the cache. */
const bodyOf = (change: number): string =>
  JSON.stringify({ value: { change, filling: 'x'.repeat(change % 2 === 0 ? 100 : 66_000) } });

/** Each key has a writer at one gateway, and a reader at each of two. */
export async function startKvTraffic(options: KvTrafficOptions): Promise<KvTraffic> {
  const { gateways, keys = 12, mayBreakOff = false } = options;
  const store = await createStore(gateways[0] ?? '');
  const gateway = (n: number): string => gateways[n % gateways.length] ?? '';
  const lanes = Array.from({ length: keys }, (_, n) => createLane(`key-${n}`, mayBreakOff));
  const addressesOf = (base: string, { key }: Lane): [api: string, short: string] => [
    `${base}/api/kv${store}/${key}`,
    `${base}${store}/${key}`,
  ];

  const refusals = new Set<string>();
  const change = async (base: string, lane: Lane, kind: Change): Promise<boolean> => {
    const body = bodyOf(lane.begin(kind));
    const [address] = addressesOf(base, lane);
    const request =
      kind === 'put' ? { method: 'PUT', headers: JSON_BY_OWNER, body } : { method: 'DELETE', headers: OWNER };
    const seen = await send(address, request);
    const done = lane.settle(seen);
    if (done) return true;
    refusals.add(summary(seen));
    await Bun.sleep(PATIENCE_MS);
    return done;
  };

  let stopped = false;
  const write = async (lane: Lane, n: number): Promise<void> => {
    let done = true;
    for (let turn = 0; !stopped; turn++) {
      done = await change(gateway(n), lane, turn % 5 === 4 ? 'remove' : 'put');
    }
    while (!done) done = await change(gateway(n), lane, 'put');
  };
  const poll = async (lane: Lane, base: string, n: number): Promise<void> => {
    for (let turn = n; !stopped; turn++) {
      const take = lane.reading();
      take(await send(addressesOf(base, lane)[turn % 2] ?? ''));
      await Bun.sleep(2);
    }
  };

  await Promise.all(lanes.map((lane, n) => change(gateway(n), lane, 'put')));
  const work = Promise.all(
    lanes.flatMap((lane, n) => [
      write(lane, n),
      poll(lane, gateway(n), n),
      ...(gateways.length > 1 ? [poll(lane, gateway(n + 1), n + 1)] : []),
    ]),
  );
  return {
    async moreChanges(count) {
      const acknowledged = (): number => lanes.reduce((sum, lane) => sum + lane.acknowledged, 0);
      const goal = acknowledged() + count;
      await until(`${count} more changes are acknowledged`, async () => acknowledged() >= goal);
    },
    mayBeBehind(allowed) {
      for (const lane of lanes) lane.mayBeBehind(allowed);
    },
    async stop() {
      stopped = true;
      await work;
    },
    async missing() {
      const reads = lanes.flatMap((lane) =>
        gateways.flatMap((base) => addressesOf(base, lane).map((address) => ({ lane, address }))),
      );
      const seen = await Promise.all(reads.map(({ address }) => insist(() => send(address))));
      return reads.filter(({ lane }, n) => !isLast(lane, seen[n])).map(({ address }) => address);
    },
    refusals: () => [...refusals],
    refused: () => lanes.reduce((sum, lane) => sum + lane.refused, 0),
    faults: () => lanes.flatMap(({ faults }) => faults),
  };
}

const isLast = (lane: Lane, seen: Seen | undefined): boolean => seen !== undefined && lane.isLast(seen);

/** Returns the store's path. */
async function createStore(base: string): Promise<string> {
  const id = crypto.randomUUID();
  const seen = await send(`${base}/api/kv?ns=faults&id=${id}`, {
    method: 'POST',
    headers: JSON_BY_OWNER,
    body: JSON.stringify({ key: 'first', value: 1 }),
  });
  if (!seen.answered || seen.status !== 201) throw new Error(`no store: ${JSON.stringify(seen)}`);
  return `/faults/${id}`;
}
