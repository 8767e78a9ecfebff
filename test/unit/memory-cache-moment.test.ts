import { expect, test } from 'bun:test';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { createMemoryCache } from '../../shared/adapters/cache/memory.ts';
import { freshItem, liveRecord } from '../contracts/cache/fixtures.ts';

const START = 1_000_000;

test('a view in the last millisecond of an item is no view of the next one under its address', async () => {
  for (let life = 20; life < 30; life++) {
    // Every look at the clock takes a millisecond.
    let moment = START;
    const clock = { now: () => moment++ };
    // Never closed, so nothing is written there.
    const snapshotFile = join(tmpdir(), crypto.randomUUID(), 'views');
    const cache = await createMemoryCache({ clock, log: pino({ level: 'silent' }), snapshotFile });
    const item = freshItem();
    await cache.putRecord(liveRecord(item, { expiresAt: START + life }));
    let seen = 0;
    while ((await cache.visit(item, true)).record !== null) seen += 1;
    expect(seen).toBeGreaterThan(0);
    await cache.putRecord(liveRecord(item, { version: 0, expiresAt: START + 10_000 }));
    expect([life, (await cache.visit(item, true)).views]).toEqual([life, 1]);
  }
});
