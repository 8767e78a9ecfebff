import { publishDatabaseLoss } from '../../shared/contracts/changes.ts';
import { serve } from '../../shared/contracts/serve.ts';
import { createBlobKeyPool } from '../../shared/items/blob-key-pool.ts';
import { createDatabaseClock } from '../../shared/items/database-clock.ts';
import { createNewItemWriter } from '../../shared/items/new-item-writer.ts';
import { createOutbox } from '../../shared/notifications/outbox.ts';
import { startServiceHeartbeat } from '../../shared/processes/service-heartbeat.ts';
import { createContentCheck } from '../../shared/scanning/content-check.ts';
import { readLinks } from '../../shared/scanning/scanning.ts';
import { createPause } from '../../shared/sweep/pause.ts';
import { RETRY_MS } from '../../shared/sweep/sweeper.ts';
import type { RunningService, ServiceDependencies } from '../../shared/wiring/dependencies.ts';
import type { DomainDependencies } from './domains/check-claim.ts';
import { createNameServers } from './domains/name-servers.ts';
import { contentHandlers } from './operation-handlers.ts';
import { reserveBlobs, trashBlobs } from './operations/blobs.ts';
import { createRenderer } from './render/renderer.ts';
import { startSweepers } from './sweep/start-sweepers.ts';

/** Longest time a page may take to render before people get its plain text, in ms. */
const RENDER_DEADLINE_MS = 2_000;
/** Longest render of markdown that is dense with markup, in ms. */
const DENSE_RENDER_DEADLINE_MS = 750;
/** The render processes' memory is given back after so long without work, in ms. */
const RENDER_IDLE_MS = 30_000;

/** Puts the content service on the bus and starts its sweepers. */
export async function startContent(wired: ServiceDependencies): Promise<RunningService> {
  const { sql, bus, clock, log, config, loadShedding } = wired;
  const { ttlDayMs, blobGraceMs } = config;
  if (wired.scanning !== null) await readLinks(wired.scanning);
  const renderer = createRenderer({
    deadlineMs: RENDER_DEADLINE_MS,
    denseDeadlineMs: DENSE_RENDER_DEADLINE_MS,
    workers: config.renderWorkers,
    idleMs: RENDER_IDLE_MS,
    log,
    refuse: () => loadShedding.shed('renderings'),
  });
  const blobDeps = { sql, clock, blobGraceMs };
  const pause = createPause();
  wired.cache.onReturn(pause.cutShort);
  const blobKeys = createBlobKeyPool(
    {
      reserve: (count) => reserveBlobs(blobDeps, { count }),
      trash: (keys) => trashBlobs(blobDeps, { keys }),
    },
    clock,
    blobGraceMs,
  );
  const databaseClock = createDatabaseClock(sql);
  wired.onDatabaseLost(() => {
    databaseClock.forget();
    blobKeys.discard();
    publishDatabaseLoss(bus);
    pause.cutShortIn(RETRY_MS);
  });
  const { dnsServers, target } = config.customDomains ?? { dnsServers: [], target: 'localhost' };
  const deps: DomainDependencies = {
    ...wired,
    renderer,
    blobKeys,
    ttlDayMs,
    blobGraceMs,
    outbox: createOutbox(config.notifications, config.baseUrl),
    check: wired.scanning === null ? null : createContentCheck(wired.scanning),
    announcementMissed: () => pause.cutShortIn(RETRY_MS),
    newItems: createNewItemWriter({ ...wired, databaseClock }, () => wired.loadShedding.shed('commits')),
    nameServers: createNameServers(dnsServers, target),
  };

  const subscription = await serve(bus, 'content', contentHandlers(deps, wired.scanning, loadShedding), log);
  const sweepers = startSweepers(deps, wired.scanning, config, pause);
  const heartbeat = startServiceHeartbeat(wired, 'content');
  return {
    async stop() {
      await heartbeat.stop();
      await subscription.drain();
      await sweepers.stop();
      await renderer.close();
    },
  };
}
