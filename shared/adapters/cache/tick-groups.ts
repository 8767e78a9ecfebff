interface Waiting<Part, Reply> {
  part: Part;
  resolve(reply: Reply): void;
  reject(reason: unknown): void;
}

/** The calls of one tick for one subject, in their order. */
export interface TickGroup<Part> {
  subject: string;
  parts: Part[];
}

/**
 * Gathers the calls of one turn of the event loop by subject, for commands that do many of one subject at once and reply
 * to each in its place.
 */
export function createTickGroups<Part, Reply>() {
  let gathered = new Map<string, Waiting<Part, Reply>[]>();

  return {
    add: (subject: string, part: Part): Promise<Reply> =>
      new Promise((resolve, reject) => {
        const waiting = gathered.get(subject);
        if (waiting === undefined) gathered.set(subject, [{ part, resolve, reject }]);
        else waiting.push({ part, resolve, reject });
      }),
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
  group: Waiting<Part, Reply>[],
  result: { value: Reply[] } | { error: unknown },
): void {
  for (const [place, { resolve, reject }] of group.entries()) {
    if ('error' in result) reject(result.error);
    else if (place < result.value.length) resolve(result.value[place] as Reply);
    else reject(new Error('no reply'));
  }
}
