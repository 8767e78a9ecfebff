import type { Client } from './client.ts';
import type { Note } from './findings.ts';
import { nameOf, type Read, type Target } from './kinds/kind.ts';
import { type Change, type Outcome, type State, settle as settleChange } from './ledger.ts';
import type { Call, Seen } from './send.ts';

/** The outcome of a write that was sent. */
export type WriteOutcome = 'acknowledged' | 'refused' | 'unanswered';

export interface Actor {
  client: Client;
  note: Note;
  /** Called for each write that was acknowledged, refused (5xx) or not answered. */
  onWrite(outcome: WriteOutcome, seen: Seen): void;
}

/** Sends a write and notes its outcome in the ledger. `success`: the status that acknowledges it. */
export async function sendChange(
  { client, note, onWrite }: Actor,
  gateway: number,
  { target, change, call, success }: { target: Target; change: Change; call: Call; success: number },
): Promise<Outcome> {
  const seen = await client.send(call, gateway);
  const settle = (outcome: Outcome): Outcome => {
    settleChange(change, outcome);
    return outcome;
  };
  if (!seen.answered) {
    onWrite('unanswered', seen);
    return settle('unknown');
  }
  if (seen.status >= 500) {
    onWrite('refused', seen);
    return settle('failed');
  }
  if (seen.status === success) {
    onWrite('acknowledged', seen);
    return settle('done');
  }
  const is = seen.status === 404 || seen.status === 410 ? 'absent' : 'present';
  const wasInDoubt = target.register.mayBe(is);
  // The item was absent. An earlier removal without an answer has happened, then; a create may still come.
  if (change.state === 'absent' && is === 'absent' && wasInDoubt) {
    return settle(target.register.mayCome ? 'refused' : 'done');
  }
  const isRepetition = change.outcome !== 'open';
  const isTaken = seen.status === 409 && typeof change.state === 'number' && wasInDoubt;
  const isGone = is === 'absent' && wasInDoubt;
  // A repetition is the first attempt for a database that has lost that.
  if ((isRepetition && change.loss === undefined) || !(isTaken || isGone)) {
    note('answer', `${call.method} ${nameOf(target)} got ${seen.status} ${seen.text.slice(0, 200)}`);
  }
  return isRepetition ? 'refused' : settle('refused');
}

/** Reads through a gateway. While `isCalm`, what is behind an acknowledged write is a finding. */
export async function readAndJudge(
  { client, note, isCalm }: Pick<Actor, 'client' | 'note'> & { isCalm(): boolean },
  { register }: Target,
  read: Read,
  gateway: number,
): Promise<void> {
  const isStrict = isCalm();
  const askedAt = Date.now();
  const judge = register.reading();
  const found = await observe(client, read, gateway);
  if ('refused' in found) return;
  if ('wrong' in found) return note('foreign', found.wrong);
  const judgement = judge(found.state);
  if (judgement === 'foreign') note('foreign', `${read.call.path} has ${found.state}`);
  else if (judgement !== 'right' && isStrict && isCalm())
    note(
      'stale',
      `${read.call.path}, asked at ${new Date(askedAt).toISOString().slice(14, 23)}, has ${found.state}; ${register.describe()}`,
    );
}

/** The result of a read: a state, a refusal, or an answer that can never be right. */
export type Found = { state: State; status: number } | { refused: Seen } | { wrong: string };

/** Reads through a gateway, and compares byte for byte with the version that the answer says it is. */
export async function observe(client: Client, read: Read, gateway: number): Promise<Found> {
  const seen = await client.send(read.call, gateway);
  const about = `${read.call.method} ${read.call.path}`;
  if (!seen.answered || seen.status >= 500) return { refused: seen };
  if (seen.status === 404 || seen.status === 410) return { state: 'absent', status: seen.status };
  if (seen.status !== 200) return { wrong: `${about} got ${seen.status} ${seen.text.slice(0, 200)}` };
  const part = partOf(read, seen.text);
  const version = read.versionIn(part);
  if (version === null) return { wrong: `${about} holds what nobody sent: ${part.slice(0, 200)}` };
  const expected = read.expected(version);
  if (part === expected) return { state: version, status: 200 };
  return {
    wrong: `${about} says it is version ${version}, but has ${part.length} of ${expected.length} characters, or others`,
  };
}

function partOf(read: Read, text: string): string {
  try {
    return read.take(text);
  } catch {
    return text;
  }
}

/**
 * Checks the status of an absent item: 404 if it never existed or is hidden, 410 if it was removed from `public`
 * (specification 2.6).
 */
export function absenceFault(read: Read, target: Target, status: number): string | null {
  const { existed } = target.register;
  const isTold = target.namespace === 'public' && target.key === '';
  if (!read.isShort || (isTold && existed === null)) return null;
  const wanted = isTold && existed ? 410 : 404;
  return status === wanted ? null : `${read.call.path} answers ${status} where ${wanted} is right`;
}
