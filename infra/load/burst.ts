import { inLanes } from '../../shared/in-lanes.ts';
import { sendChange, type WriteOutcome } from './act.ts';
import { auditTargets, type Written } from './audit.ts';
import { createTolerantClient, insisting } from './client.ts';
import { createTarget, type LoadKind } from './kinds/kind.ts';
import { insist, statusOf } from './send.ts';

export interface Burst {
  /** Names items that are not there yet. */
  add(kinds: readonly LoadKind[]): Written[];
  /** Creates items before anything is broken. @throws Error when one cannot be created within half a minute */
  prepare(some: readonly Written[]): Promise<void>;
  /**
   * Creates or replaces all of these at once, each through the gateway with the index that `gatewayOf` gives; ends when
   * all are settled.
   */
  send(some: readonly Written[], gatewayOf?: (index: number) => number): Promise<void>;
  /** Compares all of these with the ledger, through one gateway. Returns what has not been as promised so far. */
  verify(some: readonly Written[], gateway?: number): Promise<string[]>;
  /** Outcomes of the writes that were sent. */
  readonly writes: Record<WriteOutcome, number>;
}

export interface BurstOptions {
  gateways: string[];
  /** Whether connections may break, as where a gateway is killed. */
  mayBreakOff: boolean;
  /** Called with the count of acknowledged writes each time that it grows. */
  onAcknowledged?(count: number): void;
}

/**
 * Concurrency of preparation and verification, which are no load test: a busy machine would refuse some of all at once.
 */
const FEW = 8;

/** Writes of whole items, sent all at once, and what must be true of them afterwards. */
export async function createBurst(options: BurstOptions): Promise<Burst> {
  const { client, note, faults } = await createTolerantClient(options.gateways, options);
  const patient = insisting(client);
  const name = crypto.randomUUID().slice(0, 8);
  const ownerToken = `own_burst-${name}-${crypto.randomUUID()}`;
  const writes: Burst['writes'] = { acknowledged: 0, refused: 0, unanswered: 0 };
  let made = 0;

  const onWrite = (outcome: WriteOutcome): void => {
    writes[outcome] += 1;
    if (outcome === 'acknowledged') options.onAcknowledged?.(writes.acknowledged);
  };
  const nextWrite = ({ kind, target }: Written) => {
    const version = target.nextVersion++;
    const change = target.register.begin(version);
    const isThere = target.register.existed === true && kind.change !== null;
    return isThere && kind.change !== null
      ? { target, change, call: kind.change(target, version), success: 200 }
      : { target, change, call: kind.create(target, version, crypto.randomUUID()), success: kind.created };
  };
  /** Reads an item whose state is certain. */
  const lookAt = async ({ kind, target }: Written, gateway: number): Promise<void> => {
    const [look] = kind.looks(target);
    if (look === undefined || typeof target.register.certain !== 'number') return;
    const status = statusOf(await patient.send(look, gateway));
    if (status !== 200) note('answer', `${look.path} got ${status}`);
  };

  return {
    writes,
    add: (kinds) =>
      kinds.map((kind) => ({
        kind,
        target: createTarget({ namespace: 'faults', id: `${name}-${++made}`, ownerToken }),
      })),
    async prepare(some) {
      await inLanes(some, FEW, async (written) => {
        const { change, call, success } = nextWrite(written);
        const seen = await insist(() => client.send(call, 0));
        if (statusOf(seen) !== success) throw new Error(`could not prepare: ${JSON.stringify(seen)}`);
        change.outcome = 'done';
      });
    },
    async send(some, gatewayOf = () => 0) {
      const actor = { client, note, onWrite };
      await Promise.all(some.map((one, index) => sendChange(actor, gatewayOf(index), nextWrite(one))));
    },
    async verify(some, gateway = 0) {
      await auditTargets([...some], {
        client: patient,
        note,
        patienceMs: 0,
        reads: ({ kind, target }) => kind.reads(target).map((read) => ({ read, gateway })),
      });
      await inLanes(some, FEW, (one) => lookAt(one, gateway));
      return faults;
    },
  };
}
