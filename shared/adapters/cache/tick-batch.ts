/** Calls for one key in one tick: the sum of their amounts, and the waiting callers. */
interface Gathered<Outcome> {
  amount: number;
  waiting: Waiting<Outcome>[];
}

/** The place of one caller in the batch. */
interface Place {
  amount: number;
  /** Sum of the amounts gathered up to and including this one. */
  upTo: number;
}

/** The result for one caller: the shared outcome, and its own place in the batch, from which it derives its own count. */
export interface TickOutcome<Outcome> extends Place {
  result: Outcome;
  total: number;
}

interface Waiting<Outcome> extends Place {
  resolve(outcome: TickOutcome<Outcome>): void;
  reject(reason: unknown): void;
}

type TurnEntries = Array<{ key: string; amount: number }>;

/**
 * Gathers calls until the end of the event loop's current turn and answers equal keys with one command: 64 readers
 * of one page cost one increment by 64, and each still learns its own number.
 */
export function createTickBatch<Outcome>() {
  let gathered = new Map<string, Gathered<Outcome>>();

  return {
    add(key: string, amount: number): Promise<TickOutcome<Outcome>> {
      let entry = gathered.get(key);
      if (entry === undefined) {
        entry = { amount: 0, waiting: [] };
        gathered.set(key, entry);
      }
      entry.amount += amount;
      const { waiting, amount: upTo } = entry;
      return new Promise((resolve, reject) => {
        waiting.push({ amount, upTo, resolve, reject });
      });
    },
    isEmpty: (): boolean => gathered.size === 0,
    /** Takes what was gathered; the caller settles it with one result or error a key, in the same order. */
    take(): { entries: TurnEntries; settle(results: Array<{ value: Outcome } | { error: unknown }>): void } {
      const taken = gathered;
      gathered = new Map();
      const entries = Array.from(taken, ([key, entry]) => ({ key, amount: entry.amount }));
      return {
        entries,
        settle(results) {
          let index = 0;
          for (const entry of taken.values())
            settleEntry(entry, results[index++] ?? { error: new Error('no result') });
        },
      };
    },
  };
}

function settleEntry<Outcome>(
  entry: Gathered<Outcome>,
  result: { value: Outcome } | { error: unknown },
): void {
  for (const { amount, upTo, resolve, reject } of entry.waiting) {
    if ('error' in result) reject(result.error);
    else resolve({ result: result.value, amount, upTo, total: entry.amount });
  }
}

interface WaitingPart<Part, Reply> {
  part: Part;
  resolve(reply: Reply): void;
  reject(reason: unknown): void;
}

/** The calls of one tick for one subject, in their order. */
interface TickGroup<Part> {
  subject: string;
  parts: Part[];
}

/**
 * Gathers the calls of one turn of the event loop by subject, for commands that do many of one subject at once and reply
 * to each in its place.
 */
export function createTickGroups<Part, Reply>() {
  let gathered = new Map<string, WaitingPart<Part, Reply>[]>();

  return {
    add: (subject: string, part: Part): Promise<Reply> =>
      new Promise((resolve, reject) => {
        const waiting = gathered.get(subject);
        if (waiting === undefined) gathered.set(subject, [{ part, resolve, reject }]);
        else waiting.push({ part, resolve, reject });
      }),
    isEmpty: (): boolean => gathered.size === 0,
    /** Takes what was gathered; the caller settles it with the replies or one error a group, in the same order. */
    take(): {
      groups: TickGroup<Part>[];
      settle(results: Array<{ value: Reply[] } | { error: unknown }>): void;
    } {
      const taken = gathered;
      gathered = new Map();
      return {
        groups: Array.from(taken, ([subject, waiting]) => ({
          subject,
          parts: waiting.map(({ part }) => part),
        })),
        settle(results) {
          let index = 0;
          for (const waiting of taken.values())
            settleGroup(waiting, results[index++] ?? { error: new Error('no reply') });
        },
      };
    },
  };
}

function settleGroup<Part, Reply>(
  group: WaitingPart<Part, Reply>[],
  result: { value: Reply[] } | { error: unknown },
): void {
  for (const [place, { resolve, reject }] of group.entries()) {
    if ('error' in result) reject(result.error);
    else if (place < result.value.length) resolve(result.value[place] as Reply);
    else reject(new Error('no reply'));
  }
}
