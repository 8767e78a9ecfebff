import type { Cache } from '../../../shared/ports/cache.ts';

/** Counts hits by key, as the cache does for one window. */
export function countedUses(): { uses: ReadonlyMap<string, number> } & Pick<Cache, 'hit' | 'peek'> {
  const uses = new Map<string, number>();
  return {
    uses,
    peek: async (_, key) => ({ hits: uses.get(key) ?? 0, resetMs: 1_000 }),
    async hit(_, key) {
      const hits = (uses.get(key) ?? 0) + 1;
      uses.set(key, hits);
      return { hits, resetMs: 1_000 };
    },
  };
}
