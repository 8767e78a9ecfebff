import { isRefusal, type Seen } from './client.ts';

/** What was done to a key, by its number: the value of a PUT carries it. */
export type Change = 'put' | 'remove';

/**
 * One key, its only writer's changes one after another, and what a read of it may find. A change that was acknowledged
 * is in force; one that was not may be, or may come to be.
 */
export interface Lane {
  readonly key: string;
  /** The number of the change that is sent next. */
  begin(change: Change): number;
  /** What the writer was answered to it. Says whether it was acknowledged. */
  settle(seen: Seen): boolean;
  /** How many were. */
  readonly acknowledged: number;
  /** How many could not be made, or were not answered. */
  readonly refused: number;
  /** To be called before a read is sent; takes its answer. */
  reading(): (seen: Seen) => void;
  /** Whether a read found what the last change made, once that was acknowledged. */
  isLast(seen: Seen): boolean;
  /** Reads may be behind the changes: while the cache is away, and until it is repaired. */
  mayBeBehind(allowed: boolean): void;
  /** Broken promises. */
  readonly faults: string[];
}

/** `absent`, the number of a value, or `null` for any other answer. */
type Found = 'absent' | number | null;

export function createLane(key: string, mayBreakOff: boolean): Lane {
  const changes: Change[] = [];
  const faults: string[] = [];
  /** The last change that was acknowledged, and the last one that a reader saw. */
  let standing = 0;
  let shown = 0;
  let acknowledged = 0;
  let refused = 0;
  let lenient = false;

  const mayBe = (found: 'absent' | number, from: number): boolean =>
    found === 'absent' ? changes.includes('remove', from) : found >= from && changes[found] === 'put';
  const fault = (text: string): void => {
    faults.push(`${key}: ${text}`);
  };
  const isInterruption = (seen: Seen): boolean => (seen.answered ? isRefusal(seen) : mayBreakOff);

  return {
    key,
    faults,
    get acknowledged() {
      return acknowledged;
    },
    get refused() {
      return refused;
    },
    begin: (change) => changes.push(change) - 1,
    settle(seen) {
      const last = changes.length - 1;
      const status = seen.answered ? seen.status : 0;
      // A removal before it that was not acknowledged may have been made all the same.
      const wasGone = status === 404 && changes.slice(standing, -1).includes('remove');
      const isDone = changes[last] === 'put' ? status === 200 : status === 204 || wasGone;
      if (isDone) {
        standing = last;
        acknowledged += 1;
      } else if (isInterruption(seen)) refused += 1;
      else fault(`change ${last}, a ${changes[last]}, got ${textOf(seen)}`);
      return isDone;
    },
    reading() {
      const before = { standing, shown };
      return (seen) => {
        const found = find(seen);
        if (found === null) {
          if (!isInterruption(seen)) fault(`a read got ${textOf(seen)}`);
          return;
        }
        if (!lenient && !mayBe(found, before.standing)) {
          fault(`a read found ${found}, where change ${before.standing} was acknowledged`);
        } else if (!lenient && !mayBe(found, before.shown)) {
          fault(`a read found ${found}, where one before it had found ${before.shown}`);
        }
        if (typeof found === 'number') shown = Math.max(shown, found);
      };
    },
    isLast: (seen) => find(seen) === (changes.at(-1) === 'put' ? changes.length - 1 : 'absent'),
    mayBeBehind(allowed) {
      lenient = allowed;
    },
  };
}

/** Reads the bare value of a key, or what the API says of it. */
function find(seen: Seen): Found {
  if (!seen.answered || (seen.status !== 200 && seen.status !== 404)) return null;
  const body = JSON.parse(seen.text) as { message?: string; change?: number; value?: { change: number } };
  if (seen.status === 404) return body.message?.includes(' key ') ? 'absent' : null;
  return body.change ?? body.value?.change ?? null;
}

const textOf = (seen: Seen): string =>
  seen.answered ? `${seen.status} ${seen.text.slice(0, 200)}` : `no answer: ${seen.reason}`;
