import {
  createPage,
  describePage,
  pingContent,
  removePage,
  reserveBlobs,
  resolveCode,
  resolveItem,
  submitReport,
  updatePage,
} from '../../shared/contracts/content.ts';
import { serve, served } from '../../shared/contracts/serve.ts';
import { createBlobKeyPool } from '../../shared/items/blob-key-pool.ts';
import type { ServiceParts } from '../../shared/wiring/parts.ts';
import type { ContentDependencies } from './dependencies.ts';
import * as operations from './operations/index.ts';
import { createRenderer } from './render/renderer.ts';
import { createPause } from './sweep/pause.ts';
import { RETRY_MS, startSweeper } from './sweep/sweeper.ts';

/** Longest time a page may take to render before people get its plain text, in ms. */
const RENDER_DEADLINE_MS = 2_000;
/** The render worker's memory is given back after so long without work, in ms. */
const RENDER_IDLE_MS = 30_000;

export interface RunningService {
  /** Takes no new work, finishes what is under way. */
  stop(): Promise<void>;
}

/** Puts the content service on the bus and starts its sweeper. */
export async function startContent(parts: ServiceParts): Promise<RunningService> {
  const { sql, blobs, cache, bus, clock, log, config } = parts;
  const { ttlDayMs, blobGraceMs } = config;
  const renderer = createRenderer({ deadlineMs: RENDER_DEADLINE_MS, idleMs: RENDER_IDLE_MS, log });
  const reserve = (count: number) => operations.reserveBlobs({ sql, clock, blobGraceMs }, { count });
  const blobKeys = createBlobKeyPool(reserve, clock);
  const pause = createPause();
  const deps: ContentDependencies = {
    sql,
    blobs,
    cache,
    clock,
    log,
    renderer,
    blobKeys,
    announcementMissed: () => pause.cutShortIn(RETRY_MS),
    ttlDayMs,
    blobGraceMs,
  };

  const subscription = await serve(
    bus,
    'content',
    [
      served(reserveBlobs, ({ count }) => reserve(count)),
      served(createPage, (input) => operations.createPage(deps, input)),
      served(updatePage, (input) => operations.updatePage(deps, input)),
      served(describePage, (input) => operations.describePage(deps, input)),
      served(removePage, (input) => operations.removePage(deps, input)),
      served(resolveItem, (input) => operations.resolveItem(deps, input)),
      served(resolveCode, (input) => operations.resolveCode(deps, input)),
      served(submitReport, (input) => operations.submitReport(deps, input)),
      served(pingContent, () => operations.ping(deps)),
    ],
    log,
  );
  const sweeper = startSweeper(deps, pause, config.sweepIntervalMs);
  return {
    async stop() {
      await subscription.drain();
      await sweeper.stop();
      await renderer.close();
    },
  };
}
