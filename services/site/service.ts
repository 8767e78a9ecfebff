import { handler, serve } from '../../shared/contracts/serve.ts';
import * as contract from '../../shared/contracts/site.ts';
import { listItemsOfKind } from '../../shared/items/collections.ts';
import { createDatabaseClock } from '../../shared/items/database-clock.ts';
import { describeItems } from '../../shared/items/describe-item.ts';
import { itemChangeHandlers } from '../../shared/items/item-change-handlers.ts';
import type { ItemDependencies } from '../../shared/items/item-dependencies.ts';
import { createNewItemWriter } from '../../shared/items/new-item-writer.ts';
import { removeItem } from '../../shared/items/remove-item.ts';
import { repairRecords } from '../../shared/items/repair-records.ts';
import { startServiceHeartbeat } from '../../shared/processes/service-heartbeat.ts';
import { createContentCheck } from '../../shared/scanning/content-check.ts';
import { readLinks } from '../../shared/scanning/scanning.ts';
import { createPause } from '../../shared/sweep/pause.ts';
import { RETRY_MS, startSweeper } from '../../shared/sweep/sweeper.ts';
import type { RunningService, ServiceDependencies } from '../../shared/wiring/dependencies.ts';
import { createSite, replaceSite } from './operations.ts';

/** Puts the site service on the bus. Its sites expire with all items, in the content service. */
export async function startSite(wired: ServiceDependencies): Promise<RunningService> {
  const { sql, bus, config, log } = wired;
  const { ttlDayMs, blobGraceMs } = config;
  if (wired.scanning !== null) await readLinks(wired.scanning);
  const pause = createPause();
  wired.cache.onReturn(pause.cutShort);
  const databaseClock = createDatabaseClock(sql);
  wired.onDatabaseLost(() => {
    databaseClock.forget();
    pause.cutShortIn(RETRY_MS);
  });
  const deps: ItemDependencies = {
    ...wired,
    ttlDayMs,
    blobGraceMs,
    check: wired.scanning === null ? null : createContentCheck(wired.scanning),
    announcementMissed: () => pause.cutShortIn(RETRY_MS),
    newItems: createNewItemWriter({ ...wired, databaseClock }, () => wired.loadShedding.shed('commits')),
  };

  const itemChangeHandler = itemChangeHandlers(deps);
  const operations = [
    itemChangeHandler(contract.createSite, createSite),
    itemChangeHandler(contract.replaceSite, replaceSite),
    itemChangeHandler(contract.removeSite, (deps, input, context) =>
      removeItem(deps, { ...input, kind: 'site' }, context),
    ),
    handler(contract.listSites, async (input) => describeItems(await listItemsOfKind(deps, 'site', input))),
    handler(contract.pingSite, async () => {
      await sql`select 1`;
      return {};
    }),
  ];
  const subscription = await serve(bus, 'site', operations, log);
  const sweeper = startSweeper([['repair-cached-records', (round) => repairRecords(deps, round)]], {
    log,
    pause,
    intervalMs: config.sweepIntervalMs,
  });
  const heartbeat = startServiceHeartbeat(wired, 'site');
  return {
    async stop() {
      await heartbeat.stop();
      await subscription.drain();
      await sweeper.stop();
    },
  };
}
