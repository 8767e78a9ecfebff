import { until } from '../until.ts';
import { type Actor, readAndJudge, sendChange } from './act.ts';
import { allReads, auditTargets } from './audit.ts';
import { createTolerantClient, insisting } from './client.ts';
import { createTarget, type Target } from './kinds/kind.ts';
import { keys, stores } from './kinds/stores.ts';
import { type Seen, statusOf } from './send.ts';

/** Writers and readers of the keys of one store, over all gateways. */
export interface KeyTraffic {
  /** Until so many more changes have been acknowledged. */
  moreChanges(count: number): Promise<void>;
  /** From now on reads may be behind the changes: while the cache is away, and until it is repaired. */
  mayBeBehind(): void;
  /** Ends with a change of every key that is acknowledged; nothing is under way any more. */
  stop(): Promise<void>;
  /** After the end: the keys that are not what was written last, on any gateway and at any address. */
  missing(): Promise<string[]>;
  /** How many changes were refused, or not answered. */
  refused(): number;
  /** The answers to those, as status and code, each once; `no answer` among them. */
  refusals(): string[];
  /** Broken promises: a lost change, an older value, an answer that is not documented. */
  readonly faults: readonly string[];
}

export interface KeyTrafficOptions {
  gateways: string[];
  keys?: number;
  /** Whether connections may break, as where a gateway is killed. */
  mayBreakOff?: boolean;
}

/** Between two attempts of a writer who was refused, and between two reads, in ms. */
const PATIENCE_MS = 100;
const READ_PAUSE_MS = 2;

/** Each key has a writer at one gateway, and a reader at each of two. */
export async function startKeyTraffic(options: KeyTrafficOptions): Promise<KeyTraffic> {
  const { gateways, keys: count = 12, mayBreakOff = false } = options;
  const { client, note, faults } = await createTolerantClient(gateways, { mayBreakOff });
  const id = crypto.randomUUID();
  const place = { namespace: 'faults', id, ownerToken: `own_key-traffic-${id}` };
  const made = await client.send(stores.create(createTarget(place), 1, crypto.randomUUID()), 0);
  if (statusOf(made) !== stores.created) throw new Error(`no store: ${JSON.stringify(made)}`);
  const targets = Array.from({ length: count }, (_, n) => createTarget({ ...place, key: `key-${n}` }));
  let acknowledged = 0;
  let refused = 0;
  const refusals = new Set<string>();
  let isStopped = false;
  let isCalm = true;

  const actor: Actor = {
    client,
    note,
    onWrite(outcome, seen) {
      if (outcome === 'acknowledged') acknowledged += 1;
      else {
        refused += 1;
        refusals.add(answerOf(seen));
      }
    },
  };
  const change = async (target: Target, gateway: number, removes: boolean): Promise<void> => {
    const version = target.nextVersion;
    if (!removes) target.nextVersion += 1;
    const call = removes ? keys.remove(target) : keys.create(target, version, '');
    const outcome = await sendChange(actor, gateway % gateways.length, {
      target,
      call,
      success: removes ? 204 : keys.created,
      change: target.register.begin(removes ? 'absent' : version),
    });
    if (outcome !== 'done') await Bun.sleep(PATIENCE_MS);
  };
  const write = async (target: Target, gateway: number): Promise<void> => {
    for (let turn = 0; !isStopped; turn++) await change(target, gateway, turn % 5 === 4);
    while (target.register.certain === null) await change(target, gateway, false);
  };
  const poll = async (target: Target, gateway: number): Promise<void> => {
    const reads = keys.reads(target);
    for (let turn = gateway; !isStopped; turn++) {
      const read = reads[turn % reads.length];
      if (read === undefined) return;
      await readAndJudge({ client, note, isCalm: () => isCalm }, target, read, gateway % gateways.length);
      await Bun.sleep(READ_PAUSE_MS);
    }
  };

  await Promise.all(targets.map((target, n) => change(target, n, false)));
  const working = Promise.all(
    targets.flatMap((target, n) => [
      write(target, n),
      poll(target, n),
      ...(gateways.length > 1 ? [poll(target, n + 1)] : []),
    ]),
  );
  return {
    faults,
    async moreChanges(more) {
      const goal = acknowledged + more;
      await until(`${more} more changes are acknowledged`, async () => acknowledged >= goal);
    },
    mayBeBehind() {
      isCalm = false;
    },
    async stop() {
      isStopped = true;
      await working;
    },
    async missing() {
      const found: string[] = [];
      await auditTargets(
        targets.map((target) => ({ kind: keys, target })),
        {
          client: insisting(client),
          patienceMs: 0,
          reads: allReads(client),
          note: (kind, text) => void found.push(`${kind}: ${text}`),
        },
      );
      return found;
    },
    refused: () => refused,
    refusals: () => [...refusals],
  };
}

function answerOf(seen: Seen): string {
  if (!seen.answered) return 'no answer';
  return `${seen.status} ${(JSON.parse(seen.text) as { code: string }).code}`;
}
