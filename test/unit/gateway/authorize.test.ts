import { expect, test } from 'bun:test';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { createLimits } from '../../../services/gateway/admission/rate-limits.ts';
import type { GatewayDependencies } from '../../../services/gateway/dependencies.ts';
import { admitChange, admitRead } from '../../../services/gateway/items/authorize.ts';
import { createItemLookup } from '../../../services/gateway/items/item-lookup.ts';
import { createInProcessBus } from '../../../shared/adapters/bus/in-process.ts';
import { createMemoryCache } from '../../../shared/adapters/cache/memory.ts';
import { systemClock } from '../../../shared/clock.ts';
import { loadConfig } from '../../../shared/config.ts';
import { resolveItem } from '../../../shared/contracts/content.ts';
import { handler, serve } from '../../../shared/contracts/serve.ts';
import type { Cache } from '../../../shared/ports/cache.ts';
import { removedRecord } from '../../contracts/cache/fixtures.ts';
import { contextWith } from './request-context.ts';

const LIMIT = 5;
const log = pino({ level: 'silent' });

test.each([
  ['a change', admitChange],
  ['a read', admitRead],
])('%s above the limit makes nobody look anything up, however many come at once', async (_, admit) => {
  const bus = createInProcessBus({ maxPayloadBytes: 1_048_576 });
  const snapshotFile = join(tmpdir(), crypto.randomUUID(), 'views');
  const cache = await createMemoryCache({ clock: systemClock, log, snapshotFile });
  let asked = 0;
  const answer = handler(resolveItem, async ({ namespace, id }) => {
    asked += 1;
    return { record: removedRecord({ namespace, id }, 1) };
  });
  await serve(bus, 'test', [answer], log);
  const config = loadConfig({ LIMIT_CHANGES_PER_HOUR: `${LIMIT}`, LIMIT_READS_PER_MINUTE: `${LIMIT}` });
  const lookup = createItemLookup(bus, cache, log);
  const deps = {
    lookup,
    limits: createLimits(config, cache, { admit: async () => undefined }),
    clock: systemClock,
  } as unknown as GatewayDependencies;

  const outcomes = await Promise.all(
    Array.from({ length: 100 }, async (_, n) => {
      const address = { ns: 'public', id: `missing-${n}` };
      return await admit(deps, contextWith(null), 'html', address).catch((error) => error.code);
    }),
  );
  expect(outcomes.filter((code) => code === 'NOT_FOUND')).toHaveLength(LIMIT);
  expect(outcomes.filter((code) => code === 'RATE_LIMITED')).toHaveLength(100 - LIMIT);
  expect(asked).toBe(LIMIT);
});

test.each([
  ['a change', admitChange],
  ['a read', admitRead],
])(
  '%s asks the cache for the item while it is being counted, and looks it up after that',
  async (_, admit) => {
    const counting = Promise.withResolvers<void>();
    const steps: string[] = [];
    const missing = { record: null, views: 0, entry: null };
    const cache = {
      async visit() {
        steps.push('visited');
        counting.resolve();
        return missing;
      },
      putRecord: async () => true,
    } as unknown as Cache;
    const bus = createInProcessBus({ maxPayloadBytes: 1_048_576 });
    const answer = handler(resolveItem, async ({ namespace, id }) => {
      steps.push('looked up');
      return { record: removedRecord({ namespace, id }, 1) };
    });
    await serve(bus, 'test', [answer], log);
    const limits = {
      refuseKnown: () => void steps.push('not refused'),
      async admit() {
        await counting.promise;
        steps.push('counted');
      },
    };
    const deps = {
      limits,
      clock: systemClock,
      lookup: createItemLookup(bus, { ...cache, countViews: async () => 0 }, log),
    } as unknown as GatewayDependencies;
    const address = { ns: 'public', id: 'missing' };
    await expect(admit(deps, contextWith(null), 'html', address)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(steps).toEqual(['not refused', 'visited', 'counted', 'looked up']);
    // A name that no item can have is asked for nowhere, but counted.
    steps.length = 0;
    const noName = admit(deps, contextWith(null), 'html', { ns: 'no name', id: 'x' });
    await expect(noName).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(steps).toEqual(['not refused', 'counted']);
  },
);
