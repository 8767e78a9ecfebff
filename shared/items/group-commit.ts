import { steadyNow } from '../deadline.ts';
import { errors } from '../errors.ts';
import { PerchError } from '../perch-error.ts';
import { timeToCommit } from './write-in-time.ts';

/** A write that waits for its commit. */
export interface WaitingWrite {
  /** Names the value by its store and key: the later of two writes with one name is written after the earlier. */
  name: string;
  /** Bytes that it adds to a statement. */
  bytes: number;
  /** Deadline by `steadyNow`; after it nobody waits for the write. */
  deadline: number;
  reject(reason: unknown): void;
  /** The client that it is for, as clients take turns. All writes without one count as of one client. */
  client?: string | undefined;
  /** Leaves the write to its caller, undone, where it would wait for another write of its name; absent: it waits. */
  leaveOut?(): void;
}

/** The earliest deadline in a batch: its commit has to be done by then. */
export const earliestDeadline = (batch: ReadonlyArray<Pick<WaitingWrite, 'deadline'>>): number =>
  Math.min(...batch.map(({ deadline }) => deadline));

export const isLate = (write: Pick<WaitingWrite, 'deadline'>): boolean => timeToCommit(write) <= 0;

/**
 * Rejects the writes that can no longer commit in time, and returns the others. The caller of a late write has given up and
 * may have written again: a commit of the late one would undo the newer value.
 */
export function rejectLate<W extends Pick<WaitingWrite, 'deadline' | 'reject'>>(
  writes: readonly W[],
  subject: string,
): W[] {
  const inTime: W[] = [];
  for (const write of writes) {
    if (isLate(write)) write.reject(errors.timeout(subject));
    else inTime.push(write);
  }
  return inTime;
}

/**
 * Names that have a write under way: the next write of such a name waits until that one has ended. Several group commits
 * (of values and of changes of the same keys) share one set of names, so that none meets a row that another one has locked.
 */
export interface BusyKeys {
  has(name: string): boolean;
  add(name: string): void;
  /** Frees the names of a batch, and lets every group commit that shares the names go on. */
  free(names: Iterable<string>): void;
  onFree(goOn: () => void): void;
}

/** The writes in turns between clients: the first of each, then the second of each, and so on. */
function inTurns<W extends Pick<WaitingWrite, 'client'>>(writes: W[]): W[] {
  const lanes = [...Map.groupBy(writes, ({ client }) => client).values()];
  if (lanes.length < 2) return writes;
  const turns = Math.max(...lanes.map(({ length }) => length));
  return Array.from({ length: turns }, (_, turn) => lanes.flatMap((lane) => lane[turn] ?? [])).flat();
}

export function createBusyKeys(): BusyKeys {
  const names = new Set<string>();
  const listeners: Array<() => void> = [];
  return {
    has: (name) => names.has(name),
    add: (name) => void names.add(name),
    free(freed) {
      for (const name of freed) names.delete(name);
      // In turns: the group commit that goes first after this batch goes last after the next one.
      listeners.push(...listeners.splice(0, 1));
      for (const goOn of listeners) goOn();
    },
    onFree: (goOn) => void listeners.push(goOn),
  };
}

export interface GroupCommitOptions<W extends WaitingWrite> {
  /** Names its writes in errors. */
  subject: string;
  busy: BusyKeys;
  /** Writes a batch in one commit, and answers each write. When it throws, nothing was written and nobody answered. */
  commit(batch: W[]): Promise<void>;
  /** Whether a write may go along with an earlier one of its name. */
  mayFollow?(earlier: W, next: W): boolean;
  /**
   * Called for a write that is refused as it comes, because commits take too long for it: counts it, and returns the error.
   */
  shed?: (() => PerchError) | undefined;
}

/** The most that goes into one commit: writes, and their bytes. */
export const BATCH = { writes: 128, bytes: 4 * 1_048_576 };

/** A write with more bytes is large: a commit with the most writes has room for so many of each. */
export const LARGE_BYTES = BATCH.bytes / BATCH.writes;

/**
 * A second commit begins beside the one under way when this many writes wait: a commit of fewer costs more than it saves.
 */
const SECOND_COMMIT_FROM = 8;

/** How many recent commits the estimate for the next one uses. */
const PACE_OF = 2;

/** How often late writes are taken out of the queue, in ms. */
const LATE_EVERY_MS = 250;

/**
 * Commits many writes as one. Writes that come while a commit is under way wait in a queue for the next one: under load a
 * commit carries many of them, and a write that comes alone is committed at once. Each is answered after its commit. A
 * write is refused with TIMEOUT when it is late before its commit begins, and by `shed` as it comes when recent commits
 * took so long that it would be late. Clients take turns in the queue. Returns the function that adds a write.
 */
export function createGroupCommit<W extends WaitingWrite>({
  subject,
  busy,
  commit,
  mayFollow = () => false,
  shed = () => errors.refused('too much to do at once'),
}: GroupCommitOptions<W>): (write: W) => void {
  let queue: W[] = [];
  /** When each commit under way was begun, the oldest first. */
  const begun: number[] = [];
  /**
   * How long the latest commits took, in ms. Emptied by the first write after an idle time: an outage that delayed them may
   * be over.
   */
  let lastMs: number[] = [];
  let scheduled = false;
  let lateCheck: Timer | undefined;

  /**
   * The estimate for the next commit, in ms: the shortest of the latest, as an outage that is over may have delayed the
   * others. 0: not known. Only new writes are refused by it. Queued writes are tried, as commits are quick again after an
   * outage.
   */
  const paceMs = (): number => (lastMs.length === 0 ? 0 : Math.min(...lastMs));
  /** How many commits it takes until a write that comes now is done. A small one finds room beside large ones. */
  const roundsUntil = (waiting: W): number => {
    const byNumber = (queue.length + 1) / BATCH.writes;
    if (waiting.bytes <= LARGE_BYTES) return Math.ceil(byNumber);
    const queued = queue.reduce((sum, { bytes }) => sum + bytes, waiting.bytes);
    return Math.ceil(Math.max(byNumber, queued / BATCH.bytes / begun.length));
  };
  /** How long a write that comes now waits for the end of its commit, in ms. */
  const expectedMs = (waiting: W): number => {
    const [oldest] = begun;
    if (oldest === undefined) return 0;
    const pace = paceMs();
    const rounds = roundsUntil(waiting);
    return Math.max(0, pace - (steadyNow() - oldest)) + rounds * pace;
  };

  /**
   * Rejects late writes now and then while there is a queue: a commit may take longer than the writes behind it can wait.
   */
  const watch = (): void => {
    if (lateCheck !== undefined) return;
    lateCheck = setTimeout(() => {
      lateCheck = undefined;
      queue = rejectLate(queue, subject);
      if (queue.length > 0) watch();
    }, LATE_EVERY_MS);
  };

  /** Takes the first writes that may share a commit out of the queue, and marks their names as busy. */
  const takeBatch = (): { batch: W[]; names: Set<string> } => {
    const batch: W[] = [];
    const last = new Map<string, W>();
    const passed = new Set<string>();
    const left: W[] = [];
    let bytes = 0;
    for (const waiting of inTurns(rejectLate(queue, subject))) {
      const { name } = waiting;
      const fits =
        batch.length === 0 || (batch.length < BATCH.writes && bytes + waiting.bytes <= BATCH.bytes);
      const earlier = last.get(name);
      const isFree = earlier === undefined ? !busy.has(name) : mayFollow(earlier, waiting);
      if (fits && isFree && !passed.has(name)) {
        last.set(name, waiting);
        batch.push(waiting);
        bytes += waiting.bytes;
      } else if (waiting.leaveOut !== undefined && (!isFree || passed.has(name))) {
        waiting.leaveOut();
      } else {
        passed.add(name);
        left.push(waiting);
      }
    }
    queue = left;
    for (const name of last.keys()) busy.add(name);
    return { batch, names: new Set(last.keys()) };
  };
  const write = async (batch: W[]): Promise<void> => {
    try {
      await commit(batch);
    } catch (error) {
      if (batch.length > 1 && !(error instanceof PerchError)) await writeInHalves(batch);
      else for (const { reject } of batch) reject(error);
    }
  };
  /**
   * Called when the database has rejected a statement because of one of its writes: halves are tried until only that write
   * fails.
   */
  const writeInHalves = async (batch: W[]): Promise<void> => {
    const middle = Math.ceil(batch.length / 2);
    await write(batch.slice(0, middle));
    await write(batch.slice(middle));
  };
  const mayStart = (): boolean => {
    if (begun.length === 0) return queue.length > 0;
    if (begun.length > 1 || queue.length < SECOND_COMMIT_FROM) return false;
    return queue.filter(({ name }) => !busy.has(name)).length >= SECOND_COMMIT_FROM;
  };
  const start = (): void => {
    scheduled = false;
    while (mayStart()) {
      const { batch, names } = takeBatch();
      // All were late, or their names are busy.
      if (batch.length === 0) return;
      const at = steadyNow();
      begun.push(at);
      void write(batch).finally(() => {
        begun.splice(begun.indexOf(at), 1);
        lastMs = [...lastMs, steadyNow() - at].slice(-PACE_OF);
        busy.free(names);
      });
    }
  };
  busy.onFree(start);

  return (waiting) => {
    if (begun.length === 0 && queue.length === 0) lastMs = [];
    const left = timeToCommit(waiting);
    if (left > 0 && expectedMs(waiting) > left) {
      waiting.reject(shed());
      return;
    }
    queue.push(waiting);
    watch();
    // At the end of the turn: what arrived with it goes along.
    if (scheduled) return;
    scheduled = true;
    setImmediate(start);
  };
}
