/** Chance that is the same for the same seed, so that a demo can be repeated. */
export interface Random {
  /** From 0 up to below 1. */
  next(): number;
  /** A whole number, both ends included. */
  between(low: number, high: number): number;
  chance(share: number): boolean;
  pick<T>(from: readonly T[]): T;
  /** Several different ones, in an order of chance. */
  sample<T>(from: readonly T[], count: number): T[];
}

/** The generator mulberry32: 32 bits of state are enough for what nobody must guess. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  const sample = <T>(from: readonly T[], count: number): T[] => {
    const left = [...from];
    const taken: T[] = [];
    while (taken.length < count && left.length > 0)
      taken.push(...left.splice(between(0, left.length - 1), 1));
    return taken;
  };
  return {
    next,
    between,
    sample,
    chance: (share) => next() < share,
    pick(from) {
      const [picked] = sample(from, 1);
      if (picked === undefined) throw new RangeError('there is nothing to pick from');
      return picked;
    },
  };
}

/** Gives all of a list in an order of chance, then all of it again; `round` counts from 1. */
export function createDeck<T>(random: Random, cards: readonly T[]): () => { card: T; round: number } {
  let left: T[] = [];
  let round = 0;
  return () => {
    if (left.length === 0) {
      left = random.sample(cards, cards.length);
      round += 1;
    }
    const card = left.pop();
    if (card === undefined) throw new RangeError('a deck has at least one card');
    return { card, round };
  };
}
