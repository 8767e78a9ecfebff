import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { newBlobKey } from '../../shared/ids.ts';
import type { BlobStore } from '../../shared/ports/blob-store.ts';
import { START_LIMIT_MS } from '../servers.ts';
import { content, readWhole } from './blob-store-contract.ts';

const UNAVAILABLE = { code: 'UNAVAILABLE' };

/** A way in which the store can go away and come back as it was. */
export interface Outage {
  name: string;
  begin(): Promise<void>;
  end(): Promise<void>;
}

export interface OutageSubject {
  /** Called once, before the outages. */
  open(): Promise<BlobStore>;
  outages: Outage[];
  close(): Promise<void>;
}

async function list(store: BlobStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.list()) keys.push(key);
  return keys;
}

/** A store that is away says `UNAVAILABLE` to everything, never "there is no such blob", and comes back by itself. */
export function blobStoreOutageContract(name: string, subject: OutageSubject): void {
  describe(`blob store away: ${name}`, () => {
    let store: BlobStore;

    beforeAll(async () => {
      store = await subject.open();
    }, START_LIMIT_MS);
    afterAll(async () => {
      await store?.close();
      await subject.close();
    }, START_LIMIT_MS);

    for (const outage of subject.outages) {
      test(
        `${outage.name}: UNAVAILABLE, and afterwards all is as it was`,
        async () => {
          const kept = newBlobKey();
          const bytes = content(50_000);
          await store.put(kept, bytes);

          await outage.begin();
          try {
            await expect(store.put(newBlobKey(), bytes)).rejects.toMatchObject(UNAVAILABLE);
            await expect(store.open(kept)).rejects.toMatchObject(UNAVAILABLE);
            await expect(store.open(kept, { start: 0, end: 9 })).rejects.toMatchObject(UNAVAILABLE);
            await expect(store.open(newBlobKey())).rejects.toMatchObject(UNAVAILABLE);
            await expect(store.remove([kept])).rejects.toMatchObject(UNAVAILABLE);
            await expect(list(store)).rejects.toMatchObject(UNAVAILABLE);
            await expect(store.check()).rejects.toMatchObject(UNAVAILABLE);
            await expect(store.open('../x')).rejects.toBeInstanceOf(TypeError);
          } finally {
            await outage.end();
          }

          await store.check();
          const fresh = newBlobKey();
          await store.put(fresh, bytes);
          expect(await readWhole(store, fresh)).toEqual(bytes);
        },
        START_LIMIT_MS,
      );
    }
  });
}
