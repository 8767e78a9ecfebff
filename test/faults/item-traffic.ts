import { createHash } from 'node:crypto';
import { isRefusal, type Seen } from './client.ts';
import { ITEM_KINDS, type ItemKind } from './item-kinds.ts';
import { until } from './waiting.ts';

/** Items of every kind but stores that are created, replaced, removed and created anew, while processes are killed. */
export interface ItemTraffic {
  /** Until so many more changes have been acknowledged. @throws at the first broken promise */
  moreChanges(count: number): Promise<void>;
  /** Until of each kind one more has. */
  oneMoreOfEachKind(): Promise<void>;
  /** Nothing is under way any more. */
  stop(): Promise<void>;
  /** Reads every item once more; what it may not be is among the faults. */
  verify(): Promise<void>;
  /** Changes that were refused, or not answered. */
  interrupted(): number;
  /** Broken promises. */
  faults(): string[];
}

/** Each kind has so many items with a writer each. */
const ITEMS = 2;
/** Between two attempts of a writer that was not answered, in ms. */
const PATIENCE_MS = 100;
const TEXT_BYTES = 20_000;

/** `0` for none, else the number of its text. */
type State = number;

interface Lane {
  kind: ItemKind;
  id: string;
  /** What it may be: the last state that was acknowledged or more, and those asked for since. */
  possible: State[];
  sent: number;
  acknowledged: number;
}

export function startItemTraffic(base: string): ItemTraffic {
  const name = crypto.randomUUID().slice(0, 8);
  const faults: string[] = [];
  let interrupted = 0;
  let stopped = false;
  const lanesByKind = ITEM_KINDS.map((kind, k) =>
    Array.from(
      { length: ITEMS },
      (_, n): Lane => ({ kind, id: `${name}-${k}-${n}`, possible: [0], sent: 0, acknowledged: 0 }),
    ),
  );
  const lanes = lanesByKind.flat();
  const progress = (): boolean => {
    if (faults.length > 0) throw new Error(faults.join('\n'));
    return true;
  };

  const fault = ({ kind, id, possible }: Lane, what: string): void => {
    faults.push(`${kind.name} ${id}: ${what}, where ${possible.join(' or ')} may be`);
  };
  const interrupt = async (lane: Lane, seen: Seen): Promise<void> => {
    interrupted += 1;
    if (seen.answered && !isRefusal(seen)) fault(lane, `got ${seen.status} ${seen.text.slice(0, 200)}`);
    await Bun.sleep(PATIENCE_MS);
  };
  /** What it is now; `null` when nobody says. */
  const find = async (lane: Lane): Promise<State | null> => {
    const seen = await lane.kind.read(base, lane.id);
    if (!seen.answered || ![200, 404].includes(seen.status)) {
      await interrupt(lane, seen);
      return null;
    }
    const found =
      seen.status === 404
        ? 0
        : lane.possible.find((state) => state > 0 && seen.text === textOf(lane.id, state));
    if (found === undefined || !lane.possible.includes(found)) {
      fault(lane, `reads ${seen.status} ${seen.text.slice(0, 60)}`);
      return null;
    }
    return found;
  };
  const change = async (lane: Lane): Promise<void> => {
    const state = await find(lane);
    if (state === null) return;
    const { kind, id } = lane;
    const removes = state > 0 && (kind.update === null || lane.sent % 3 === 0);
    const wanted = removes ? 0 : ++lane.sent;
    lane.possible.push(wanted);
    const write = state > 0 && kind.update !== null ? kind.update : kind.create;
    const seen = await (removes ? kind.remove(base, id) : write(base, id, textOf(id, wanted)));
    if (!seen.answered || ![200, 201, 204].includes(seen.status)) return await interrupt(lane, seen);
    lane.possible = [wanted];
    lane.acknowledged += 1;
    // The next text is another, also after a removal.
    if (removes) lane.sent += 1;
  };
  const working = Promise.all(
    lanes.map(async (lane) => {
      while (!stopped) await change(lane);
    }),
  );

  return {
    async moreChanges(count) {
      const goal = sum(lanes) + count;
      await until(`${count} more changes`, async () => progress() && sum(lanes) >= goal);
    },
    async oneMoreOfEachKind() {
      const goals = lanesByKind.map((some) => sum(some) + 1);
      const isReached = (): boolean => lanesByKind.every((some, k) => sum(some) >= (goals[k] ?? 0));
      await until('one more change of each kind', async () => progress() && isReached());
    },
    async stop() {
      stopped = true;
      await working;
    },
    async verify() {
      for (const lane of lanes) {
        if ((await find(lane)) === null) fault(lane, 'cannot be read');
      }
    },
    interrupted: () => interrupted,
    faults: () => faults,
  };
}

const sum = (lanes: Lane[]): number => lanes.reduce((total, lane) => total + lane.acknowledged, 0);

function textOf(id: string, state: State): string {
  const line = `${id} ${state} ${createHash('sha256').update(`${id} ${state}`).digest('hex')}\n`;
  return line.repeat(Math.ceil(TEXT_BYTES / line.length));
}
