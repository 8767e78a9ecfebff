import * as accessLog from '../../shared/contracts/access-log.ts';
import * as itemViews from '../../shared/contracts/item-views.ts';
import * as messages from '../../shared/contracts/notifications.ts';
import * as reports from '../../shared/contracts/reports.ts';
import { handler, serve } from '../../shared/contracts/serve.ts';
import { describeBacklog } from '../../shared/contracts/server-state.ts';
import { pingAnalytics, readHistory, readStats } from '../../shared/contracts/stats.ts';
import { itemChangeHandlers } from '../../shared/items/item-change-handlers.ts';
import { repairRecords } from '../../shared/items/repair-records.ts';
import { createOutbox } from '../../shared/notifications/outbox.ts';
import { startServiceHeartbeat } from '../../shared/processes/service-heartbeat.ts';
import { createPause } from '../../shared/sweep/pause.ts';
import { type Pass, RETRY_MS, startSweeper } from '../../shared/sweep/sweeper.ts';
import type { RunningService, ServiceDependencies } from '../../shared/wiring/dependencies.ts';
import { consumeAccessEvents } from './consume-access-events.ts';
import type { AnalyticsDependencies } from './dependencies.ts';
import { channelsOf, createDeliveries, forgetNotifications } from './notifications/deliver.ts';
import { createDeliveryCounts } from './notifications/metrics.ts';
import { chartAccess, describeAccess, listAccess } from './operations/access-log.ts';
import { describeItemViews } from './operations/describe-item-views.ts';
import { listNotifications, resendNotification } from './operations/notifications.ts';
import {
  listReportedItems,
  listReports,
  readReport,
  reviewReport,
  reviewReportedItem,
} from './operations/reports.ts';
import { createHistoryReader, createStatsReader } from './operations/stats.ts';
import { submitReport } from './operations/submit-report.ts';
import { writeAccessBatches } from './operations/write-access-batches.ts';
import { accessLogPasses } from './sweep/access-log-passes.ts';
import { TOTALS_INTERVAL_MS, totalsPasses } from './sweep/totals-passes.ts';

/** Interval of the passes that send messages to the operator, in ms. */
const DELIVERY_INTERVAL_MS = 1_000;

/** Puts the analytics service on the bus and starts its background passes. */
export async function startAnalytics(wired: ServiceDependencies): Promise<RunningService> {
  const { sql, openMaintenance, turns, bus, cache, events, clock, config, log } = wired;
  const { logRetentionDays, reportsToHide, notifications, baseUrl } = config;
  const outbox = createOutbox(notifications, baseUrl);
  const counts = createDeliveryCounts(wired.metrics ?? null, { sql, clock }, channelsOf(notifications));
  const repairs = createPause();
  cache.onReturn(repairs.cutShort);
  wired.onDatabaseLost(() => repairs.cutShortIn(RETRY_MS));
  const deps: AnalyticsDependencies = {
    sql,
    openMaintenance,
    turns,
    cache,
    bus,
    clock,
    log,
    outbox,
    logRetentionDays,
    reportsToHide,
    announcementMissed: () => repairs.cutShortIn(RETRY_MS),
  };

  const itemChangeHandler = itemChangeHandlers(deps);
  const operations = [
    handler(pingAnalytics, async () => {
      await deps.sql`select 1`;
      return {};
    }),
    handler(accessLog.listAccess, (input) => listAccess(deps, input)),
    handler(accessLog.chartAccess, (input) => chartAccess(deps, input)),
    handler(accessLog.describeAccess, (input) => describeAccess(deps, input)),
    handler(itemViews.describeItemViews, (input) => describeItemViews(deps, input)),
    handler(describeBacklog, async () => ({ waitingBatches: await events.waiting() })),
    handler(readStats, createStatsReader(deps)),
    handler(readHistory, createHistoryReader(deps)),
    itemChangeHandler(reports.submitReport, submitReport),
    handler(reports.listReports, (input) => listReports(deps, input)),
    handler(reports.readReport, (input) => readReport(deps, input)),
    handler(reports.reviewReport, (input, context) => reviewReport(deps, input, context)),
    handler(messages.listNotifications, (input) => listNotifications(deps, input)),
    handler(messages.resendNotification, (input, context) =>
      resendNotification(deps, notifications.attempts, input, context),
    ),
    handler(reports.listReportedItems, (input) => listReportedItems(deps, input)),
    handler(reports.reviewReportedItem, (input, context) => reviewReportedItem(deps, input, context)),
  ];
  const passes: Pass[][] = [
    ...accessLogPasses(deps),
    [['forget-notifications', () => forgetNotifications(deps, notifications)]],
  ];

  const subscription = await serve(bus, 'analytics', operations, log);
  const consumption = await consumeAccessEvents({
    events,
    log,
    write: (batches) => writeAccessBatches(deps, batches),
  });
  const sweepers = passes.map((swept) =>
    startSweeper(swept, { log, pause: createPause(), intervalMs: config.sweepIntervalMs }),
  );
  const repair = startSweeper([['repair-cached-records', (round) => repairRecords(deps, round)]], {
    log,
    pause: repairs,
    intervalMs: config.sweepIntervalMs,
  });
  const totals = startSweeper(totalsPasses(deps), {
    log,
    pause: createPause(),
    intervalMs: TOTALS_INTERVAL_MS,
  });
  const deliveries = createDeliveries(deps, notifications, counts).map((pass) =>
    startSweeper([pass], { log, pause: createPause(), intervalMs: DELIVERY_INTERVAL_MS }),
  );
  const heartbeat = startServiceHeartbeat(wired, 'analytics');
  return {
    async stop() {
      await heartbeat.stop();
      await Promise.all([subscription.drain(), consumption.drain()]);
      await Promise.all([...sweepers, repair, totals, ...deliveries].map((one) => one.stop()));
    },
  };
}
