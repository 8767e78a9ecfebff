import type { ValueChange } from '../../shared/contracts/kv.ts';
import { errors } from '../../shared/errors.ts';
import type { Query } from '../../shared/items/sql.ts';
import { assertAbsent, assertMatch } from './conditions.ts';
import {
  type LockedValue,
  type NextValue,
  type OwnedKey,
  writeChangedValues,
} from './repository/change-values.ts';
import {
  type ChangeAnswer,
  findIdempotencyKeys,
  type IdempotentChange,
  insertIdempotencyKeys,
} from './repository/idempotency-keys.ts';
import { createChangingValue, SHORT_VALUE_BYTES } from './value-change.ts';

/** A change of a key, with the owner that its store must have. */
export interface OwnedChange extends OwnedKey {
  change: ValueChange;
  ifMatch: string[] | null;
  ifAbsent: boolean;
  idempotency: { key: string; fingerprint: string } | null;
}

/** Changes of one key, in the order in which they came. */
export interface ChangesOfKey {
  changes: readonly OwnedChange[];
  /** `null`: the key is not there, and may be made. */
  locked: LockedValue | null;
}

/** The answer to a change, or why it was refused. */
export type ChangeOutcome = ChangeAnswer | Error;

export interface AppliedChanges {
  /** Outcomes in the order of the changes. */
  outcomes: ChangeOutcome[];
  /** The key as it is now, for the cache; `null` when nothing has changed, nor had before under a known idempotency key. */
  latest: {
    sequence: number;
    version: number;
    sizeBytes: number;
    updatedAt: number;
    /** `null` when it is not at hand, or larger than the cache keeps. */
    value: string | null;
  } | null;
}

/** Makes a key that does not exist, still empty: its first change gives it a value. */
export type MakeKey = (next: NextValue) => Promise<void>;

/**
 * Applies changes to keys whose rows the transaction holds, several to one key as one write. Each change has a version and
 * a sequence of its own, though nobody sees the values in between. A change that is refused leaves the others alone, and
 * one under a known idempotency key gets the answer of then.
 */
export async function applyChanges(
  tx: Query,
  keys: readonly ChangesOfKey[],
  now: number,
  makeKey: MakeKey,
): Promise<AppliedChanges[]> {
  const known = await findEarlierChanges(tx, keys);
  const plans = keys.map((key) => planChanges(key, known));
  const writes = plans.flatMap((plan) => plan.next ?? []);
  for (const [index, plan] of plans.entries()) {
    if (plan.next !== null && keys[index]?.locked === null) await makeKey(plan.next);
  }
  const rows = writes.length === 0 ? [] : await writeChangedValues(tx, writes, now);
  const byPlace = new Map(rows.map((row) => [row.place, row]));
  let place = 0;
  const applied = plans.map((plan, index): AppliedChanges => {
    if (plan.next === null) {
      const outcomes = plan.steps.map(outcomeOf);
      return { outcomes, latest: latestOf(outcomes, keys[index]?.locked ?? null) };
    }
    place += 1;
    const row = byPlace.get(place);
    if (row === undefined) throw new Error('a locked key is missing');
    const answers = new Map<Step, ChangeAnswer>();
    const made = plan.steps.filter((step) => 'made' in step);
    for (const [stepIndex, step] of made.entries()) {
      const later = made.length - 1 - stepIndex;
      answers.set(step, {
        version: row.version - later,
        sequence: row.sequence - later,
        updatedAt: row.updatedAt,
        ...step.made,
        created: plan.isNew && stepIndex === 0,
      });
    }
    const outcomes = plan.steps.map(
      (step) => answers.get('repeats' in step ? step.repeats : step) ?? outcomeOf(step),
    );
    return { outcomes, latest: { ...row, sizeBytes: plan.next.sizeBytes } };
  });
  await recordIdempotencyKeys(tx, keys, plans, applied, now);
  return applied;
}

/** A change to make, with what it makes of the value. */
type Made = { made: { sizeBytes: number; number: number | null } };

/** A change to make; one that repeats an earlier one of the same batch; or one whose outcome is known already. */
type Step = Made | { repeats: Made } | { outcome: ChangeOutcome };

interface Plan {
  steps: Step[];
  next: NextValue | null;
  isNew: boolean;
}

const outcomeOf = (step: Step): ChangeOutcome => {
  if ('outcome' in step) return step.outcome;
  throw new Error('a change has no outcome');
};

/**
 * The state of an unchanged key, to be announced: the process that made an earlier change may have died between commit and
 * announcement.
 */
function latestOf(outcomes: ChangeOutcome[], locked: LockedValue | null): AppliedChanges['latest'] {
  if (locked === null || outcomes.every((outcome) => outcome instanceof Error)) return null;
  const { sequence, version, sizeBytes, updatedAt, head } = locked;
  return { sequence, version, sizeBytes, updatedAt, value: sizeBytes <= SHORT_VALUE_BYTES ? head : null };
}

type KnownChanges = Map<string, IdempotentChange & { answer: ChangeAnswer }>;

function planChanges({ changes, locked }: ChangesOfKey, known: KnownChanges): Plan {
  const value = createChangingValue(locked);
  const inBatch = new Map<string, { step: Made; fingerprint: string }>();
  let made = 0;
  let sizeBytes = 0;
  const planStep = (owned: OwnedChange): Step => {
    const idempotent = idempotentOf(owned);
    const earlier = idempotent && known.get(nameOf(idempotent));
    if (idempotent && earlier) {
      assertSameRequest(earlier, idempotent);
      return { outcome: earlier.answer };
    }
    const twin = idempotent && inBatch.get(idempotent.idempotencyKey);
    if (idempotent && twin) {
      assertSameRequest(twin, idempotent);
      return { repeats: twin.step };
    }
    // Nobody can have read a value between two changes of one batch.
    const sequence = made > 0 ? UNSEEN : (locked?.sequence ?? null);
    assertMatch(sequence, owned.ifMatch);
    assertAbsent(sequence, owned.ifAbsent);
    const changed = value.apply(owned.change);
    made += 1;
    sizeBytes = changed.sizeBytes;
    const step: Made = { made: changed };
    if (idempotent) inBatch.set(idempotent.idempotencyKey, { step, fingerprint: idempotent.fingerprint });
    return step;
  };
  const steps = changes.map((owned) => attempt(() => planStep(owned)));
  const [first] = changes;
  const next =
    made === 0 || first === undefined
      ? null
      : {
          namespace: first.namespace,
          id: first.id,
          key: first.key,
          text: value.text(),
          sizeBytes,
          changes: made,
        };
  return { steps, next, isNew: locked === null };
}

type Fingerprinted = Pick<IdempotentChange, 'fingerprint'>;

/** @throws VALIDATION_FAILED when the idempotency key was used for another request */
function assertSameRequest(earlier: Fingerprinted, later: Fingerprinted): void {
  if (earlier.fingerprint !== later.fingerprint) throw errors.idempotencyKeyReused();
}

/** A sequence that no value has. */
const UNSEEN = -1;

function attempt(step: () => Step): Step {
  try {
    return step();
  } catch (error) {
    if (error instanceof Error) return { outcome: error };
    throw error;
  }
}

const idempotentOf = ({ namespace, id, idempotency }: OwnedChange): IdempotentChange | null =>
  idempotency === null
    ? null
    : { namespace, id, idempotencyKey: idempotency.key, fingerprint: idempotency.fingerprint };

const nameOf = ({ namespace, id, idempotencyKey }: IdempotentChange): string =>
  `${namespace}/${id} ${idempotencyKey}`;

async function findEarlierChanges(tx: Query, keys: readonly ChangesOfKey[]): Promise<KnownChanges> {
  const wanted = keys
    .flatMap(({ changes }) => changes.map(idempotentOf))
    .filter((idempotent) => idempotent !== null);
  const found = wanted.length === 0 ? [] : await findIdempotencyKeys(tx, wanted);
  return new Map(found.map((idempotent) => [nameOf(idempotent), idempotent]));
}

async function recordIdempotencyKeys(
  tx: Query,
  keys: readonly ChangesOfKey[],
  plans: readonly Plan[],
  applied: readonly AppliedChanges[],
  now: number,
): Promise<void> {
  const made = keys.flatMap(({ changes }, index) =>
    changes.flatMap((change, at) => {
      const idempotent = idempotentOf(change);
      const step = plans[index]?.steps[at];
      const answer = applied[index]?.outcomes[at];
      if (idempotent === null || step === undefined || !('made' in step)) return [];
      return answer === undefined || answer instanceof Error ? [] : [{ ...idempotent, answer }];
    }),
  );
  if (made.length > 0) await insertIdempotencyKeys(tx, made, now);
}
