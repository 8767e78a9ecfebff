import { createKeyChangePublisher } from '../../shared/contracts/changes.ts';
import * as contract from '../../shared/contracts/kv.ts';
import { handler, serve } from '../../shared/contracts/serve.ts';
import { createDatabaseClock } from '../../shared/items/database-clock.ts';
import { createBusyKeys } from '../../shared/items/group-commit.ts';
import { itemChangeHandlers } from '../../shared/items/item-change-handlers.ts';
import type { ItemDependencies } from '../../shared/items/item-dependencies.ts';
import { removeItem } from '../../shared/items/remove-item.ts';
import { repairRecords } from '../../shared/items/repair-records.ts';
import { startServiceHeartbeat } from '../../shared/processes/service-heartbeat.ts';
import { createPause } from '../../shared/sweep/pause.ts';
import { RETRY_MS, startSweeper } from '../../shared/sweep/sweeper.ts';
import type { RunningService, ServiceDependencies } from '../../shared/wiring/dependencies.ts';
import { createChangeWriter } from './change-writer.ts';
import type { KvDependencies } from './dependencies.ts';
import { changeEntry } from './operations/change-entry.ts';
import { putEntry } from './operations/put-entry.ts';
import { listEntries, readEntry } from './operations/read-entries.ts';
import { removeEntry } from './operations/remove-entry.ts';
import { replaceEntries } from './operations/replace-entries.ts';
import { createKv, listKv } from './operations/stores.ts';
import { forgetChanges, forgetRemovals } from './sweep/forget.ts';
import { repairEntries } from './sweep/repair-entries.ts';
import { createValueWriter } from './value-writer.ts';

/** Puts the key-value service on the bus and starts its sweeper. Stores are items: the content service expires them. */
export async function startKv(wired: ServiceDependencies): Promise<RunningService> {
  const { sql, bus, config, log } = wired;
  const { ttlDayMs, blobGraceMs } = config;
  const pause = createPause();
  const databaseClock = createDatabaseClock(sql);
  wired.cache.onReturn(pause.cutShort);
  wired.onDatabaseLost(() => {
    databaseClock.forget();
    pause.cutShortIn(RETRY_MS);
  });
  const items: ItemDependencies = {
    ...wired,
    ttlDayMs,
    blobGraceMs,
    announcementMissed: () => pause.cutShortIn(RETRY_MS),
    newItems: null,
    check: null,
  };
  const busy = createBusyKeys();
  const shed = () => wired.loadShedding.shed('commits');
  const publishKeyChange = createKeyChangePublisher(bus);
  const deps: KvDependencies = {
    ...items,
    databaseClock,
    publishKeyChange,
    values: createValueWriter({ sql, clock: wired.clock, databaseClock }, busy, shed),
    changes: createChangeWriter({ ...items, publishKeyChange }, busy, shed),
  };

  const itemChangeHandler = itemChangeHandlers(deps);
  const operations = [
    itemChangeHandler(contract.createKv, createKv),
    itemChangeHandler(contract.putEntry, putEntry),
    handler(contract.replaceEntries, (input, context) => replaceEntries(deps, input, context)),
    itemChangeHandler(contract.changeEntry, changeEntry),
    handler(contract.readEntry, (input) => readEntry(deps, input)),
    handler(contract.listEntries, (input) => listEntries(deps, input)),
    itemChangeHandler(contract.removeEntry, removeEntry),
    itemChangeHandler(contract.removeKv, (deps, input, context) =>
      removeItem(deps, { ...input, kind: 'kv' }, context),
    ),
    handler(contract.listKv, (input) => listKv(deps, input)),
    handler(contract.pingKv, async () => {
      await sql`select 1`;
      return {};
    }),
  ];
  const subscription = await serve(bus, 'kv', operations, log);
  const sweeper = startSweeper(
    [
      ['repair-cached-records', (round) => repairRecords(deps, round)],
      ['repair-entries', (round) => repairEntries(deps, round)],
      ['forget-removals', () => forgetRemovals(deps)],
      ['forget-changes', () => forgetChanges(deps)],
    ],
    { log, pause, intervalMs: config.sweepIntervalMs },
  );
  const heartbeat = startServiceHeartbeat(wired, 'kv');
  return {
    async stop() {
      await heartbeat.stop();
      await subscription.drain();
      await sweeper.stop();
    },
  };
}
