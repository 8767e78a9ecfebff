import type { CallContext } from '../../shared/call-context.ts';
import type { ValueChange } from '../../shared/contracts/kv.ts';
import { errors } from '../../shared/errors.ts';
import {
  type BusyKeys,
  createGroupCommit,
  earliestDeadline,
  isLate,
  LARGE_BYTES,
  rejectLate,
  type WaitingWrite,
} from '../../shared/items/group-commit.ts';
import { itemKey, LIMITS, storeKey } from '../../shared/items/item.ts';
import type { ItemDependencies } from '../../shared/items/item-dependencies.ts';
import { findOwnedItem } from '../../shared/items/owned-item.ts';
import { brokenConstraint, type Query } from '../../shared/items/sql.ts';
import { writeInTime } from '../../shared/items/write-in-time.ts';
import { PerchError } from '../../shared/perch-error.ts';
import { type AnnouncingDependencies, announceEntry } from './announce-entry.ts';
import {
  type AppliedChanges,
  applyChanges,
  type ChangesOfKey,
  type MakeKey,
  type OwnedChange,
} from './apply-changes.ts';
import { createKeyQueue } from './key-queue.ts';
import { type LockedValue, lockValues, makeEmptyKey, type OwnedKey } from './repository/change-values.ts';
import { countEntries, type StoreOfEntry } from './repository/entries.ts';
import type { ChangeAnswer } from './repository/idempotency-keys.ts';

export type ChangedEntry = ChangeAnswer & Pick<StoreOfEntry, 'expiresAt'>;

/** The client that waits for a change, and until when. */
type Caller = Pick<CallContext, 'deadline' | 'client'>;

export interface ChangeWriter {
  /**
   * Applies an increment or an append to a value, together with other changes that wait, also of the same key. A
   * change is not made when its deadline is near.
   * @throws NOT_FOUND, OWNER_TOKEN_WRONG, VALUE_MISMATCH, TOO_LARGE, KV_KEY_LIMIT, PRECONDITION_FAILED,
   * VALIDATION_FAILED for an idempotency key of another request, TIMEOUT
   */
  change(change: OwnedChange, caller: Caller): Promise<ChangedEntry>;
}

interface Waiting extends WaitingWrite {
  owned: OwnedChange;
  resolve(changed: ChangedEntry | null): void;
}

const SUBJECT = 'kv.change-entry';

/** The primary key of idempotency keys: broken when changes of two keys of a store use the same idempotency key at once. */
const IDEMPOTENCY_CONSTRAINT = 'kv_change_receipts_pkey';

type Dependencies = Pick<ItemDependencies, 'sql' | 'turns' | 'clock'> & AnnouncingDependencies;

/** Context of work for many changes. @param client whose they are, if they are of one */
const contextOf = (changes: readonly Waiting[], client = '') => ({
  requestId: 'changes',
  deadline: earliestDeadline(changes),
  client,
});

/**
 * Makes changes by group commit; all changes of one key that wait together are one write. A key that does not exist, or
 * whose row another process has locked, is left to a transaction of its own, which waits for a turn at the store and for locks;
 * changes of it that come meanwhile gather for the next one. A change writes all of its value anew: those of large values have
 * commits of their own, which nobody else waits for.
 */
export function createChangeWriter(
  deps: Dependencies,
  busy: BusyKeys,
  shed?: () => PerchError,
): ChangeWriter {
  const mayFollow = (earlier: Waiting, next: Waiting) => earlier.owned.ownerHash === next.owned.ownerHash;
  const options = { subject: SUBJECT, busy, shed, mayFollow };
  const addLarge = createGroupCommit<Waiting>({
    ...options,
    commit: (batch) => commit(batch, Number.POSITIVE_INFINITY),
  });
  const add = createGroupCommit<Waiting>({ ...options, commit: (batch) => commit(batch, LARGE_BYTES) });

  /** @param maxBytes changes of larger values are left to `addLarge` */
  const commit = async (batch: Waiting[], maxBytes: number): Promise<void> => {
    try {
      const { done, large } = await commitTogether(batch, maxBytes);
      await Promise.all(done.map(({ row, group, applied }) => settle(row, group, applied)));
      for (const waiting of large.flatMap(withSize)) addLarge(waiting);
    } catch (error) {
      // Another process is recording the idempotency key: the transaction of its own waits until that has ended, and
      // finds the key.
      if (batch.length === 1 && brokenConstraint(error) === IDEMPOTENCY_CONSTRAINT)
        return batch[0]?.resolve(null);
      // The transaction has ended by the earliest of their deadlines: the other changes still have time.
      const goOn = batch.length > 1 && batch.some(isLate);
      if (!goOn || !(error instanceof PerchError) || error.mayBeDone) throw error;
      for (const { resolve } of rejectLate(batch, SUBJECT)) resolve(null);
    }
  };

  const commitTogether = async (batch: Waiting[], maxBytes: number) => {
    const groups = [...Map.groupBy(batch, ({ name }) => name).values()];
    const { done, large } = await writeInTime(deps, contextOf(batch), 'a change', async (tx) => {
      const now = deps.clock.now();
      const locked = await lockValues(tx, groups.map(firstOf), { now, waits: false });
      const keys = locked.map((row) => ({ row, group: groups[row.place - 1] ?? [] }));
      const taken = keys.filter(({ row }) => row.sizeBytes <= maxBytes);
      const changes = taken.map(({ row, group }) => ({
        changes: group.map(({ owned }) => owned),
        locked: row,
      }));
      const applied = changes.length === 0 ? [] : await applyChanges(tx, changes, now, neverMade);
      return {
        done: taken.map((key, index) => ({ ...key, applied: applied[index] })),
        large: keys.filter(({ row }) => row.sizeBytes > maxBytes),
      };
    });
    const locked = new Set([...done, ...large].map(({ group }) => group));
    for (const group of groups) if (!locked.has(group)) for (const { resolve } of group) resolve(null);
    return { done, large };
  };

  const settle = async (store: StoreOfEntry, group: Waiting[], applied?: AppliedChanges): Promise<void> => {
    if (applied === undefined) throw new Error('changes have no outcome');
    await announce(deps, store, firstOf(group), applied);
    for (const [index, { resolve, reject }] of group.entries()) {
      const outcome = applied.outcomes[index];
      if (outcome === undefined) reject(new Error('a change has no outcome'));
      else if (outcome instanceof Error) reject(outcome);
      else resolve({ ...outcome, expiresAt: store.expiresAt });
    }
  };

  const addAlone = createKeyQueue<Waiting>({
    subject: SUBJECT,
    inTurn: (changes, work) =>
      deps.turns.take(itemKey(firstOf(changes)), contextOf(changes, changes[0]?.client), 'a change', work),
    async commit(group) {
      const changes = group.map(({ owned }) => owned);
      const write = () =>
        writeInTime(deps, contextOf(group), 'a change', (tx) => changeLocked(tx, deps, changes));
      const { store, applied } = await write().catch((error: unknown) => {
        if (brokenConstraint(error) !== IDEMPOTENCY_CONSTRAINT) throw error;
        return write();
      });
      return () => settle(store, group, applied);
    },
  });

  const queued = (
    owned: OwnedChange,
    { deadline, client }: Caller,
    put: (waiting: Waiting) => void,
  ): Promise<ChangedEntry | null> =>
    new Promise((resolve, reject) => {
      const bytes = bytesOf(owned.change);
      put({ owned, deadline, client, resolve, reject, bytes, name: storeKey(owned) });
    });

  return {
    async change(owned, caller) {
      const changed =
        (await queued(owned, caller, add)) ??
        (await queued(owned, caller, (waiting) => addAlone(`${waiting.name} ${owned.ownerHash}`, waiting)));
      if (changed === null) throw new Error('a change was not made');
      return changed;
    },
  };
}

/** The bytes of a change without those of its value, whose size is known when it is locked. */
const bytesOf = (change: ValueChange): number => (change.kind === 'append' ? change.value.length : 0);

/** Changes of one value, which is written once for all of them: the first counts its size. */
const withSize = ({ row, group }: { row: LockedValue; group: Waiting[] }): Waiting[] =>
  group.map((waiting, index) =>
    index === 0 ? { ...waiting, bytes: waiting.bytes + row.sizeBytes } : waiting,
  );

function firstOf(group: readonly Waiting[]): OwnedKey {
  const [first] = group;
  if (first === undefined) throw new Error('a group without changes');
  return first.owned;
}

const neverMade: MakeKey = async () => {
  throw new Error('a locked key is not there');
};

/** Makes changes in a transaction that waits for the rows: of the key, or, when it is not there, of its store, which makes room for one. */
async function changeLocked(
  tx: Query,
  { clock }: Dependencies,
  changes: OwnedChange[],
): Promise<{ store: StoreOfEntry; applied: AppliedChanges | undefined }> {
  const [first] = changes;
  if (first === undefined) throw new Error('a group without changes');
  const { namespace, id, ownerHash } = first;
  const find = async (): Promise<LockedValue | undefined> =>
    (await lockValues(tx, [first], { now: clock.now(), waits: true }))[0];
  const apply = async (of: ChangesOfKey, makeKey: MakeKey) =>
    (await applyChanges(tx, [of], clock.now(), makeKey))[0];

  const there = await find();
  if (there !== undefined)
    return { store: there, applied: await apply({ changes, locked: there }, neverMade) };
  const item = await findOwnedItem(tx, { kind: 'kv', namespace, id, ownerHash }, { clock, lock: true });
  const store = { store: item.code, expiresAt: item.expiresAt };
  // A key is only made by a transaction that holds the store's row, as this one does: nobody else can make it until this
  // ends.
  const locked = (await find()) ?? null;
  const makeKey: MakeKey = async (next) => {
    if ((await countEntries(tx, next)) >= LIMITS.kvKeys) throw errors.keyLimitReached(LIMITS.kvKeys);
    await makeEmptyKey(tx, next, clock.now());
  };
  return { store, applied: await apply({ changes, locked }, makeKey) };
}

async function announce(
  deps: Dependencies,
  { store, expiresAt }: StoreOfEntry,
  { namespace, id, key }: OwnedKey,
  { latest }: AppliedChanges,
): Promise<void> {
  if (latest === null) return;
  const { sequence, value, version, sizeBytes, updatedAt } = latest;
  const entry = value === null ? null : { key, value, sizeBytes, version, sequence, updatedAt };
  await announceEntry(deps, { namespace, id }, { store, key, sequence, entry }, expiresAt);
}
