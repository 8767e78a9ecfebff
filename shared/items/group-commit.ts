import { steadyNow } from '../deadline.ts';
import { errors, PerchError } from '../errors.ts';
import { timeToCommit } from './write-in-time.ts';

/** A write that waits for its turn. */
export interface WaitingWrite {
  /** Names the value by its store and key: the later of two writes with one name is written after the earlier. */
  name: string;
  /** Bytes that it adds to a statement. */
  bytes: number;
  /** Deadline by `steadyNow`; after it nobody waits for the write. */
  deadline: number;
  reject(reason: unknown): void;
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
 * Names of the writes under way: the next write of a name waits for its end. Lanes of different writes share them, so
 * that no lane meets a row that another one holds.
 */
export interface BusyKeys {
  has(name: string): boolean;
  add(name: string): void;
  /** Frees the names of a batch, and lets all lanes go on. */
  free(names: Iterable<string>): void;
  onFree(goOn: () => void): void;
}

export function createBusyKeys(): BusyKeys {
  const names = new Set<string>();
  const lanes: Array<() => void> = [];
  return {
    has: (name) => names.has(name),
    add: (name) => void names.add(name),
    free(freed) {
      for (const name of freed) names.delete(name);
      // The lane that waited longer goes first.
      lanes.push(...lanes.splice(0, 1));
      for (const goOn of lanes) goOn();
    },
    onFree: (goOn) => void lanes.push(goOn),
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
  /** Counts a write that is refused because commits take too long for it to be done in time, and makes the error for it. */
  shed?: (() => PerchError) | undefined;
}

/** The most that goes into one commit: writes, and their bytes. */
const BATCH = { writes: 128, bytes: 4 * 1_048_576 };

/** Writes that must wait before a second commit is begun beside the one under way: a commit of few costs more than it saves. */
const SECOND_STATEMENT = { from: 8 };

/** Commits whose time is taken for that of the next one. */
const PACE_OF = 2;

/** How often writes that wait are looked through for those whose time is over, in ms. */
const LATE_EVERY_MS = 250;

/**
 * Commits many writes as one: while statements are under way what arrives gathers for the next, so that under load a
 * commit carries all who wait for it, and alone a write waits for nobody. Each is answered after its own commit, refused when
 * its time is over before one is begun for it, or refused as it comes when its time would be over at the pace of the last commits.
 * Returns the function that adds a write.
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
  /** How long the last commits took, in ms; of none from before the lane was idle, as the outage behind them may be over. */
  let lastMs: number[] = [];
  let scheduled = false;
  let lateCheck: Timer | undefined;

  /**
   * How long a commit takes, in ms: the shortest of the last, as others may have met an outage that is over. 0: not known. Writes that
   * wait already are tried whatever it is: after an outage the next commit is quick again.
   */
  const paceMs = (): number => (lastMs.length === 0 ? 0 : Math.min(...lastMs));
  /** How long a write that comes now waits for the end of its commit, in ms. */
  const expectedMs = (): number => {
    const [oldest] = begun;
    if (oldest === undefined) return 0;
    const pace = paceMs();
    const rounds = Math.ceil((queue.length + 1) / BATCH.writes);
    return Math.max(0, pace - (steadyNow() - oldest)) + rounds * pace;
  };

  /** A commit may take longer than those behind it can wait. */
  const watch = (): void => {
    if (lateCheck !== undefined) return;
    lateCheck = setTimeout(() => {
      lateCheck = undefined;
      queue = rejectLate(queue, subject);
      if (queue.length > 0) watch();
    }, LATE_EVERY_MS);
  };

  /** The first writes that may go together, and their names. */
  const takeBatch = (): { batch: W[]; names: Set<string> } => {
    const batch: W[] = [];
    const last = new Map<string, W>();
    const passed = new Set<string>();
    const left: W[] = [];
    let bytes = 0;
    for (const waiting of rejectLate(queue, subject)) {
      const { name } = waiting;
      const fits =
        batch.length === 0 || (batch.length < BATCH.writes && bytes + waiting.bytes <= BATCH.bytes);
      const earlier = last.get(name);
      const isFree = earlier === undefined ? !busy.has(name) : mayFollow(earlier, waiting);
      if (fits && isFree && !passed.has(name)) {
        last.set(name, waiting);
        batch.push(waiting);
        bytes += waiting.bytes;
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
  /** The database has rejected one of the writes, and with it all of the statement: the others are written without it. */
  const writeInHalves = async (batch: W[]): Promise<void> => {
    const middle = Math.ceil(batch.length / 2);
    await write(batch.slice(0, middle));
    await write(batch.slice(middle));
  };
  const mayStart = (): boolean => {
    if (begun.length === 0) return queue.length > 0;
    if (begun.length > 1 || queue.length < SECOND_STATEMENT.from) return false;
    return queue.filter(({ name }) => !busy.has(name)).length >= SECOND_STATEMENT.from;
  };
  const start = (): void => {
    scheduled = false;
    while (mayStart()) {
      const { batch, names } = takeBatch();
      // All were late, or another lane has their names.
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
    if (left > 0 && expectedMs() > left) {
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
