import { inLanes } from '../../shared/in-lanes.ts';
import { absenceFault, type Found, observe } from './act.ts';
import type { Client } from './client.ts';
import type { FindingKind, Note } from './findings.ts';
import { type LoadKind, nameOf, type Read, type Target } from './kinds/kind.ts';
import type { State } from './ledger.ts';

/** A target, and what it is. */
export interface Written {
  kind: LoadKind;
  target: Target;
}

/** Number of concurrent reads. */
const AT_ONCE = 8;
const PAUSE_MS = 150;

export interface TargetAudit {
  client: Client;
  note: Note;
  /** How long caches may be behind, and what is read may be refused, in ms. */
  patienceMs: number;
  /**
   * Told of each write that was acknowledged and is not there, because one that was sent before it and got no answer was
   * made after it. Without it that is a finding like others.
   */
  onOvertaken?: (text: string) => void;
  /** The reads of a target, and the gateways to send them to. */
  reads: (written: Written) => Array<{ read: Read; gateway: number }>;
}

/** Every address of the targets through every gateway. */
export const allReads =
  ({ gateways }: Client) =>
  ({ kind, target }: Written): Array<{ read: Read; gateway: number }> =>
    kind.reads(target).flatMap((read) => gateways.map((_, gateway) => ({ read, gateway })));

/** Reads every target until it is as the ledger says; what is not so in the end is a finding. */
export async function auditTargets(all: Written[], audit: TargetAudit): Promise<void> {
  const deadline = Date.now() + audit.patienceMs;
  let left = all.map((written) => ({ written, fault: null as Fault | null }));
  while (left.length > 0) {
    const wrong: typeof left = [];
    await inLanes(left, AT_ONCE, async ({ written }) => {
      const fault = await faultOf(written, audit);
      if (fault !== null) wrong.push({ written, fault });
    });
    left = wrong;
    if (Date.now() > deadline) break;
    if (left.length > 0) await Bun.sleep(PAUSE_MS);
  }
  for (const { written, fault } of left) {
    if (fault?.kind === 'overtaken' && audit.onOvertaken !== undefined && fault.state !== undefined) {
      written.target.register.adopt(fault.state);
      audit.onOvertaken(fault.text);
    } else if (fault !== null) audit.note(fault.kind, fault.text);
  }
}

interface Fault {
  kind: FindingKind;
  text: string;
  /** The state that all gateways agree on. */
  state?: State;
}

async function faultOf(written: Written, { client, reads }: TargetAudit): Promise<Fault | null> {
  const { target, kind } = written;
  const name = `${kind.name} ${nameOf(target)}`;
  const found = await Promise.all(
    reads(written).map(async ({ read, gateway }) => ({ read, found: await observe(client, read, gateway) })),
  );
  const states = new Set<State>();
  for (const one of found) {
    const fault = faultOfRead(one, target);
    if (fault !== null) return { ...fault, text: `${name}: ${fault.text}` };
    if ('state' in one.found) states.add(one.found.state);
  }
  const all = found
    .map(({ read, found }) => `${read.call.path} ${'state' in found ? found.state : '?'}`)
    .join(', ');
  const acknowledged = `acknowledged is ${target.register.certain ?? 'one of several'}`;
  if (states.size > 1)
    return { kind: 'half', text: `${name} is not the same everywhere (${acknowledged}): ${all}` };
  const [state = 'absent'] = states;
  const judgement = target.register.judge(state);
  if (judgement === 'right') return null;
  const is = judgement === 'older' ? 'lost' : judgement;
  return { state, kind: is, text: `${name} is ${state}, ${acknowledged}; ${target.register.describe()}` };
}

function faultOfRead({ read, found }: { read: Read; found: Found }, target: Target): Fault | null {
  if ('refused' in found)
    return { kind: 'refused', text: `${read.call.path} got ${JSON.stringify(found.refused)}` };
  if ('wrong' in found) return { kind: 'foreign', text: found.wrong };
  const fault = found.state === 'absent' ? absenceFault(read, target, found.status) : null;
  return fault === null ? null : { kind: 'answer', text: fault };
}
