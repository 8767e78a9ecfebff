import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { entriesContract } from './entries-contract.ts';
import type { CachePair } from './fixtures.ts';
import { recordsContract } from './records-contract.ts';
import { viewsContract } from './views-contract.ts';
import { visitedEntriesContract } from './visited-entries-contract.ts';
import { windowsContract } from './windows-contract.ts';

/** The promises of `shared/ports/cache.ts`, on one adapter. */
export function cacheContract(name: string, open: () => Promise<CachePair>): void {
  describe(`cache: ${name}`, () => {
    let pair: CachePair | undefined;
    const opened = (): CachePair => {
      if (pair === undefined) throw new Error('the caches are not open');
      return pair;
    };

    beforeAll(async () => {
      pair = await open();
    });
    afterAll(async () => {
      for (const cache of new Set(pair)) await cache.close();
    });

    recordsContract(opened);
    viewsContract(opened);
    entriesContract(opened);
    visitedEntriesContract(opened);
    windowsContract(opened);

    test('a cache that is up says so', async () => {
      for (const cache of opened()) expect(await cache.check()).toBeUndefined();
    });

    test('tells the memory of its server, if it has one', async () => {
      for (const cache of opened()) {
        const memory = await cache.memory();
        if (memory === null) continue;
        expect(memory.usedBytes).toBeGreaterThan(100_000);
        expect(memory.limitBytes).toBeGreaterThanOrEqual(0);
      }
    });
  });
}
