import type { WindowState } from '../../../shared/ports/cache.ts';

/** Requests for one thing at once, which are counted together. */
export interface CountedGroup<Answer> {
  /** The answer to the last of them. */
  outcome: { value: Answer } | { error: unknown };
  /** How many of them come after the current one. */
  behind: number;
}

export interface CountedGroups<Key, Answer> {
  /** Adds a request for a key. Returns the key's group, which `advance` moves on to each of its members in turn. */
  add(key: Key): CountedGroup<Answer>;
  /** Asks once for each group. Resolves when all are answered; never rejects. */
  ask(): Promise<unknown>;
}

const NOT_ASKED = { error: new Error('not asked') };

/** @param ask counts so many at once */
export function createCountedGroups<Key, Answer>(
  ask: (key: Key, times: number) => Promise<Answer>,
): CountedGroups<Key, Answer> {
  const groups = new Map<Key, CountedGroup<Answer>>();
  return {
    add(key) {
      let group = groups.get(key);
      if (group === undefined) {
        group = { outcome: NOT_ASKED, behind: 0 };
        groups.set(key, group);
      }
      group.behind += 1;
      return group;
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
  };
}

/** Moves a group on to its next member; at first it stands before the first one. */
export function advance(group: CountedGroup<unknown>): void {
  group.behind -= 1;
}

/** The answer that a group was given. @throws why it was given none */
export function answerOf<Answer>({ outcome }: CountedGroup<Answer>): Answer {
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}

/** The window as it was at the current member of those that were counted together. */
export function windowOf({ outcome, behind }: CountedGroup<WindowState | null>): WindowState | null {
  if ('error' in outcome || outcome.value === null) return null;
  return { hits: outcome.value.hits - behind, resetMs: outcome.value.resetMs };
}
