import type { WindowState } from '../../../shared/ports/cache.ts';

/** Requests for one thing at once, which are counted together. */
export interface CountedGroup<Answer> {
  /** The answer to the last of them. */
  outcome: { value: Answer } | { error: unknown };
  /** How many of them come after the current one. */
  behind: number;
}

export interface CountedGroups<Key, Answer> {
  add(key: Key): void;
  /** Asks once for each group. Resolves when all are answered; never rejects. */
  ask(): Promise<unknown>;
  /** Moves the group of a key on to its next member. */
  next(key: Key): CountedGroup<Answer>;
}

/** @param ask counts so many at once */
export function createCountedGroups<Key, Answer>(
  ask: (key: Key, times: number) => Promise<Answer>,
): CountedGroups<Key, Answer> {
  const groups = new Map<Key, CountedGroup<Answer>>();
  const none = { error: new Error('not asked') };
  const of = (key: Key): CountedGroup<Answer> => {
    let group = groups.get(key);
    if (group === undefined) {
      group = { outcome: none, behind: 0 };
      groups.set(key, group);
    }
    return group;
  };

  return {
    add(key) {
      of(key).behind += 1;
    },
    ask: () =>
      Promise.all(
        Array.from(groups, async ([key, group]) => {
          try {
            group.outcome = { value: await ask(key, group.behind) };
          } catch (error) {
            group.outcome = { error };
          }
        }),
      ),
    next(key) {
      const group = of(key);
      group.behind -= 1;
      return group;
    },
  };
}

/** The answer that a group was given. @throws why it was given none */
export function answerOf<Answer>({ outcome }: CountedGroup<Answer>): Answer {
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}

/** The window as it was at one of those that were counted together. */
export function windowOf({ outcome, behind }: CountedGroup<WindowState | null>): WindowState | null {
  if ('error' in outcome || outcome.value === null) return null;
  return { hits: outcome.value.hits - behind, resetMs: outcome.value.resetMs };
}
