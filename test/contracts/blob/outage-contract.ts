import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newBlobKey } from '../../../shared/ids.ts';
import type { BlobStore } from '../../../shared/ports/blob-store.ts';
import { START_LIMIT_MS } from '../../servers.ts';
import { content, readWhole } from './contract.ts';

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
    let folder: string;

    beforeAll(async () => {
      store = await subject.open();
      folder = await mkdtemp(join(tmpdir(), 'perch-outage-'));
      await writeFile(join(folder, 'small'), content(50_000));
      // More than the S3 adapter sends in one request.
      await writeFile(join(folder, 'large'), new Uint8Array(9_000_000));
    }, START_LIMIT_MS);
    afterAll(async () => {
      await store?.close();
      await rm(folder, { recursive: true, force: true });
      await subject.close();
    }, START_LIMIT_MS);

    for (const outage of subject.outages) {
      test(
        `${outage.name}: UNAVAILABLE, and afterwards all is as it was`,
        async () => {
          const kept = newBlobKey();
          const doomed = newBlobKey();
          const bytes = content(50_000);
          await store.put(kept, bytes);

          await outage.begin();
          try {
            const attempts = [
              store.put(newBlobKey(), bytes),
              store.putFile(newBlobKey(), join(folder, 'small')),
              store.putFile(newBlobKey(), join(folder, 'large')),
              store.open(kept),
              store.open(kept, { start: 0, end: 9 }),
              store.open(newBlobKey()),
              store.remove([doomed]),
              list(store),
              store.check(),
            ];
            for (const attempt of await Promise.allSettled<unknown>(attempts)) {
              expect(attempt).toMatchObject({ status: 'rejected', reason: { code: 'UNAVAILABLE' } });
            }
            await expect(store.open('../x')).rejects.toBeInstanceOf(TypeError);
          } finally {
            await outage.end();
          }

          await store.check();
          expect(await readWhole(store, kept)).toEqual(bytes);
          const fresh = newBlobKey();
          await store.put(fresh, bytes);
          expect(await readWhole(store, fresh)).toEqual(bytes);
        },
        START_LIMIT_MS,
      );
    }
  });
}
