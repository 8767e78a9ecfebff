/** The state of an address: absent, or the version with this number. */
export type State = 'absent' | number;

/** A write that was sent: what it makes of its register, and what became of it. */
export interface Change {
  readonly state: State;
  readonly sentAt: number;
  outcome: Outcome;
  /** Whether the database has lost it, having gone back: what was acknowledged is no more, or may be no more. */
  loss?: 'certain' | 'possible';
}

/**
 * `open`: no answer yet; `done`: acknowledged; `refused`: answered 4xx, so it did not happen; `failed`: answered 5xx, so it
 * may have happened, but comes after nothing that is sent from then on; `unknown`: no answer: it may happen yet.
 */
export type Outcome = 'open' | 'done' | 'refused' | 'failed' | 'unknown';

/** How a state that was read stands to what was written. */
export type Judgement =
  /** The state is the last acknowledged one, or that of a later write without an answer. */
  | 'right'
  /** The state is an earlier one; the last acknowledged write is missing. */
  | 'older'
  /** An unknown write, sent before the one that was acknowledged last, has come after it. */
  | 'overtaken'
  /** A failed write has come after the one that was sent after its failure, and acknowledged. */
  | 'undone'
  /** Nobody sent it, or its write was refused. */
  | 'foreign';

/** One thing that is written by one writer, one write after another: an item's content, or a key's value. */
export interface Register {
  begin(state: State): Change;
  /** The certain state; `null` while a write may or may not have happened. */
  readonly certain: State | null;
  /** Whether it may be there, or not be there, by all that was answered or given up. */
  mayBe(state: 'absent' | 'present'): boolean;
  /** Whether a version whose write was not answered may be there, or come to be. */
  readonly mayCome: boolean;
  /** Whether something was ever there; `null`: nobody knows. */
  readonly existed: boolean | null;
  judge(found: State): Judgement;
  /**
   * How a state that is read from now on stands. States of before the call count, too; but once a reader was shown a
   * version, none that is sent after that may find an older one.
   */
  reading(): (found: State) => Judgement;
  /** Takes a state for what is certainly there. */
  adopt(state: State): void;
  /**
   * The database has gone back to a moment, and writes that were sent since then are lost. They count as `failed` until
   * `forgetLost`: caches may still have them, but they come after nothing that is sent from now on. Of a write that has no
   * answer yet nobody knows whether it is made before or after.
   */
  loseSince(moment: number): void;
  /** From now on what is certainly lost must not be found. */
  forgetLost(): void;
  /** All that was sent, for people: `1 done, 2 unknown`. */
  describe(): string;
}

/** Notes what an answer says of a change. */
export function settle(change: Change, answer: Outcome): void {
  // Nobody knows on which side of a loss something was made that is acknowledged on both.
  if (change.loss !== undefined && answer === 'done') change.loss = 'possible';
  const outcome = change.loss !== undefined && answer === 'done' ? 'failed' : answer;
  // A repetition that fails does not undo what was acknowledged, and says nothing of an attempt without an answer.
  const isWorse = change.outcome === 'done' || (change.outcome === 'unknown' && outcome === 'failed');
  if (!isWorse && change.loss !== 'certain') change.outcome = outcome;
}

/** Changes are noted in the order they were sent in; the first one stands for the time before. */
export function createRegister(): Register {
  const changes: Change[] = [{ state: 'absent', sentAt: 0, outcome: 'done' }];
  const lastDone = (): number => changes.findLastIndex(({ outcome }) => outcome === 'done');
  let shown: Change | null = null;
  const readFrom = (): number =>
    Math.max(lastDone(), shown === null || shown.loss !== undefined ? 0 : changes.indexOf(shown));
  const show = (found: State): void => {
    const change = changes.findLast(({ state }) => state === found && state !== 'absent');
    if (change !== undefined && changes.indexOf(change) > readFrom()) shown = change;
  };
  const possible = (from: number, without: readonly Outcome[] = ['refused']): State[] =>
    changes
      .slice(from)
      .filter(({ outcome }, index) => index === 0 || !without.includes(outcome))
      .map(({ state }) => state);
  const judgeFrom = (from: number, found: State): Judgement => {
    if (possible(from).includes(found)) return 'right';
    const before = changes.slice(0, from).filter(({ state }) => state === found);
    if (before.some(({ outcome }) => outcome === 'unknown')) return 'overtaken';
    if (before.some(({ outcome }) => outcome === 'failed')) return 'undone';
    return before.some(({ outcome }) => outcome === 'done') ? 'older' : 'foreign';
  };
  return {
    begin(state) {
      const change: Change = { state, sentAt: Date.now(), outcome: 'open' };
      changes.push(change);
      return change;
    },
    get certain() {
      const [state = 'absent', ...others] = possible(lastDone());
      return others.every((other) => other === state) ? state : null;
    },
    mayBe: (state) =>
      possible(lastDone(), ['refused', 'open']).some((one) => (one === 'absent') === (state === 'absent')),
    get mayCome() {
      return changes
        .slice(lastDone() + 1)
        .some(({ state, outcome }) => state !== 'absent' && (outcome === 'unknown' || outcome === 'failed'));
    },
    get existed() {
      const versions = changes.filter(({ state }) => state !== 'absent');
      if (versions.some(({ outcome }) => outcome === 'done')) return true;
      return versions.every(({ outcome }) => outcome === 'refused') ? false : null;
    },
    judge: (found) => judgeFrom(lastDone(), found),
    reading() {
      const from = readFrom();
      return (found) => {
        // A database that went back during the read may show an earlier state than the one at its start.
        const judgement = judgeFrom(Math.min(from, readFrom()), found);
        if (judgement === 'right') show(found);
        return judgement;
      };
    },
    adopt(state) {
      changes.push({ state, sentAt: Date.now(), outcome: 'done' });
    },
    loseSince(moment) {
      for (const change of changes.filter(({ sentAt }) => sentAt >= moment)) {
        if (change.outcome === 'open') change.loss = 'possible';
        if (change.outcome === 'done') Object.assign(change, { outcome: 'failed', loss: 'certain' });
      }
    },
    forgetLost() {
      for (const change of changes) if (change.loss === 'certain') change.outcome = 'refused';
    },
    describe: () =>
      changes
        .slice(1)
        .map(
          ({ state, outcome, sentAt, loss }) =>
            `${new Date(sentAt).toISOString().slice(14, 23)} ${state} ${outcome}${loss === undefined ? '' : ` (loss ${loss})`}`,
        )
        .join(', '),
  };
}
