import * as adminSessions from '../../shared/contracts/admin-sessions.ts';
import * as audit from '../../shared/contracts/audit.ts';
import * as blocklist from '../../shared/contracts/blocklist.ts';
import { publishDatabaseLoss } from '../../shared/contracts/changes.ts';
import * as contract from '../../shared/contracts/content.ts';
import * as domains from '../../shared/contracts/domains.ts';
import * as files from '../../shared/contracts/files.ts';
import * as gallery from '../../shared/contracts/gallery.ts';
import * as hosting from '../../shared/contracts/hosting.ts';
import * as pages from '../../shared/contracts/html.ts';
import * as documents from '../../shared/contracts/json.ts';
import * as ownerAdmin from '../../shared/contracts/owner-admin.ts';
import * as owners from '../../shared/contracts/owners.ts';
import * as publications from '../../shared/contracts/publications.ts';
import * as scans from '../../shared/contracts/scans.ts';
import { handler, serve } from '../../shared/contracts/serve.ts';
import * as serverState from '../../shared/contracts/server-state.ts';
import * as takedowns from '../../shared/contracts/takedowns.ts';
import { createBlobKeyPool } from '../../shared/items/blob-key-pool.ts';
import { listItemsOfKind } from '../../shared/items/collections.ts';
import { createDatabaseClock } from '../../shared/items/database-clock.ts';
import { describeItems } from '../../shared/items/describe-item.ts';
import { itemChangeHandlers } from '../../shared/items/item-change-handlers.ts';
import { createNewItemWriter } from '../../shared/items/new-item-writer.ts';
import { createOutbox } from '../../shared/notifications/outbox.ts';
import { startServiceHeartbeat } from '../../shared/processes/service-heartbeat.ts';
import { createContentCheck } from '../../shared/scanning/content-check.ts';
import { readLinks } from '../../shared/scanning/scanning.ts';
import { createPause } from '../../shared/sweep/pause.ts';
import { RETRY_MS, startSweeper } from '../../shared/sweep/sweeper.ts';
import type { RunningService, ServiceDependencies } from '../../shared/wiring/dependencies.ts';
import type { ContentDependencies } from './dependencies.ts';
import { createNameServers } from './domains/name-servers.ts';
import { checkAdminSession, endAdminSessions, openAdminSession } from './operations/admin-sessions.ts';
import { listAudit, recordAttempt } from './operations/audit.ts';
import { extendBlobs, reserveBlobs, trashBlobs } from './operations/blobs.ts';
import { blockContent, listBlockedContent, unblockContent } from './operations/blocked-content.ts';
import { addBlock, listBlocks, readBlocklist, removeBlock } from './operations/blocklist.ts';
import { createFile } from './operations/create-file.ts';
import { checkDomain, claimDomain, readDomain, removeDomain, resolveDomain } from './operations/domains.ts';
import { findUnusedNamespaces } from './operations/find-unused-namespaces.ts';
import { labelItem, resolveLabel, setDeliveryMode } from './operations/hosting.ts';
import { createHtml, describeHtml, previewHtml, updateHtml } from './operations/html.ts';
import { createJson, updateJson } from './operations/json.ts';
import { createGalleryLists } from './operations/list-gallery.ts';
import { listOwnedItems } from './operations/list-owned-items.ts';
import { createInventoryReader, listOwners, readMaxTtlDays, setOwnerTerms } from './operations/owners.ts';
import { hideItem, listPublications } from './operations/publications.ts';
import { removeFile, removeHtml, removeJson } from './operations/remove-items.ts';
import { renewItem } from './operations/renew-item.ts';
import { resolveCode, resolveItem } from './operations/resolve.ts';
import { describeScans, pingScanner, releaseItem, startRescan } from './operations/scans.ts';
import { describeServer, ping, reportProcess } from './operations/server-state.ts';
import { takeDownItem } from './operations/take-down-item.ts';
import { takeDownMany } from './operations/take-down-many.ts';
import { takeDownOwner } from './operations/take-down-owner.ts';
import { countListed, walkListed } from './operations/walk-listed.ts';
import { createRenderer } from './render/renderer.ts';
import { checkDueDomains } from './sweep/check-domains.ts';
import { createPictureMaking } from './sweep/make-pictures.ts';
import { contentPasses } from './sweep/passes.ts';
import { SCAN_INTERVAL_MS, scanPasses } from './sweep/scan-passes.ts';

/** Longest time a page may take to render before people get its plain text, in ms. */
const RENDER_DEADLINE_MS = 2_000;
/** Longest render of markdown that is dense with markup, in ms. */
const DENSE_RENDER_DEADLINE_MS = 750;
/** The render processes' memory is given back after so long without work, in ms. */
const RENDER_IDLE_MS = 30_000;

/** Pictures for the gallery are made so long after their items at the latest, in ms, if there is time. */
const PICTURES_INTERVAL_MS = 2_000;

/** Part of the time that making them may take, as nobody waits for one: a burst of creates needs the processors itself. */
const PICTURES_SHARE = 0.2;

/** Domains are checked so long after they are due at the latest, in ms, if there is time: two in a second. */
const DOMAINS_INTERVAL_MS = 2_000;

/** Puts the content service on the bus and starts its sweeper. */
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
  const ofBlobs = { sql, clock, blobGraceMs };
  const pause = createPause();
  wired.cache.onReturn(pause.cutShort);
  const blobKeys = createBlobKeyPool(
    {
      reserve: (count) => reserveBlobs(ofBlobs, { count }),
      trash: (keys) => trashBlobs(ofBlobs, { keys }),
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
  const deps: ContentDependencies = {
    ...wired,
    renderer,
    blobKeys,
    ttlDayMs,
    blobGraceMs,
    outbox: createOutbox(config.notifications, config.baseUrl),
    check: wired.scanning === null ? null : createContentCheck(wired.scanning),
    announcementMissed: () => pause.cutShortIn(RETRY_MS),
    newItems: createNewItemWriter({ ...wired, databaseClock }, () => wired.loadShedding.shed('commits')),
  };

  const { dnsServers, target } = config.customDomains ?? { dnsServers: [], target: 'localhost' };
  const domainDeps = { ...deps, nameServers: createNameServers(dnsServers, target) };

  const galleryLists = createGalleryLists({ sql, clock, loadShedding });
  const itemChangeHandler = itemChangeHandlers(deps);
  const operations = [
    handler(contract.reserveBlobs, (input) => reserveBlobs(deps, input)),
    handler(contract.extendBlobs, (input) => extendBlobs(deps, input)),
    handler(contract.trashBlobs, (input) => trashBlobs(deps, input)),
    handler(contract.resolveItem, (input) => resolveItem(deps, input)),
    handler(contract.resolveCode, (input) => resolveCode(deps, input)),
    handler(hosting.resolveLabel, (input) => resolveLabel(deps, input)),
    itemChangeHandler(hosting.labelItem, labelItem),
    itemChangeHandler(hosting.setDeliveryMode, setDeliveryMode),
    itemChangeHandler(domains.claimDomain, claimDomain),
    itemChangeHandlers(domainDeps)(domains.checkDomain, checkDomain),
    handler(domains.readDomain, (input) => readDomain(deps, input)),
    itemChangeHandler(domains.removeDomain, removeDomain),
    handler(domains.resolveDomain, (input) => resolveDomain(deps, input)),
    handler(contract.pingContent, () => ping(deps)),
    handler(owners.listOwnedItems, (input) => listOwnedItems(deps, input)),
    itemChangeHandler(owners.renewItem, renewItem),
    itemChangeHandler(owners.takeDownItem, takeDownItem),
    handler(ownerAdmin.listOwners, (input) => listOwners(deps, input)),
    handler(ownerAdmin.readInventory, createInventoryReader(deps)),
    handler(ownerAdmin.setOwnerTerms, (input, context) => setOwnerTerms(deps, input, context)),
    handler(ownerAdmin.readMaxTtlDays, (input) => readMaxTtlDays(deps, input)),
    itemChangeHandler(ownerAdmin.takeDownOwner, takeDownOwner),
    handler(publications.listPublications, (input) => listPublications(deps, input)),
    itemChangeHandler(publications.hideItem, hideItem),
    handler(scans.describeScans, () => describeScans(deps, wired.scanning)),
    handler(scans.pingScanner, () => pingScanner(wired.scanning)),
    handler(scans.startRescan, (input, context) => startRescan(deps, wired.scanning, input, context)),
    itemChangeHandler(scans.releaseItem, (deps, input, context) =>
      releaseItem(deps, wired.scanning, input, context),
    ),
    handler(blocklist.readBlocklist, (input) => readBlocklist(deps, input)),
    handler(blocklist.listBlocks, (input) => listBlocks(deps, input)),
    handler(blocklist.addBlock, (input, context) => addBlock(deps, input, context)),
    handler(blocklist.removeBlock, (input, context) => removeBlock(deps, input, context)),
    handler(adminSessions.openAdminSession, (input, context) => openAdminSession(deps, input, context)),
    handler(adminSessions.checkAdminSession, (input) => checkAdminSession(deps, input)),
    handler(adminSessions.endAdminSessions, (input, context) => endAdminSessions(deps, input, context)),
    handler(serverState.reportProcess, (input) => reportProcess(deps, input)),
    handler(serverState.describeServer, () => describeServer(deps)),
    handler(audit.recordAttempt, (input, context) => recordAttempt(deps, input, context)),
    handler(audit.listAudit, (input) => listAudit(deps, input)),
    handler(contract.findUnusedNamespaces, (input) => findUnusedNamespaces(deps, input)),
    handler(gallery.listGallery, galleryLists.listGallery),
    handler(gallery.listOwnGallery, galleryLists.listOwnGallery),
    handler(gallery.countListed, () => countListed(deps)),
    handler(gallery.walkListed, (input) => walkListed(deps, input)),
    itemChangeHandler(pages.createHtml, createHtml),
    itemChangeHandler(pages.updateHtml, updateHtml),
    handler(pages.previewHtml, (input, context) => previewHtml(deps, input, context)),
    handler(pages.describeHtml, (input) => describeHtml(deps, input)),
    itemChangeHandler(pages.removeHtml, removeHtml),
    handler(pages.listHtml, async (input) => describeItems(await listItemsOfKind(deps, 'html', input))),
    itemChangeHandler(documents.createJson, createJson),
    itemChangeHandler(documents.updateJson, updateJson),
    itemChangeHandler(documents.removeJson, removeJson),
    handler(documents.listJson, async (input) => describeItems(await listItemsOfKind(deps, 'json', input))),
    itemChangeHandler(takedowns.takeDownMany, takeDownMany),
    handler(takedowns.listBlockedContent, (input) => listBlockedContent(deps, input)),
    handler(takedowns.blockContent, (input, context) => blockContent(deps, input, context)),
    handler(takedowns.unblockContent, (input, context) => unblockContent(deps, input, context)),
    itemChangeHandler(files.createFile, createFile),
    itemChangeHandler(files.removeFile, removeFile),
    handler(files.listFiles, async (input) => describeItems(await listItemsOfKind(deps, 'file', input))),
  ];
  const subscription = await serve(bus, 'content', operations, log);
  const sweeper = startSweeper(contentPasses(deps, config.indexNow), {
    log,
    pause,
    intervalMs: config.sweepIntervalMs,
  });
  const pictures = startSweeper([['make-pictures', createPictureMaking(deps)]], {
    log,
    pause: createPause(),
    intervalMs: PICTURES_INTERVAL_MS,
    share: PICTURES_SHARE,
  });
  const checks = startSweeper(
    config.customDomains === null ? [] : [['check-domains', () => checkDueDomains(domainDeps)]],
    { log, pause: createPause(), intervalMs: Math.min(DOMAINS_INTERVAL_MS, config.sweepIntervalMs) },
  );
  const scan = scanPasses(deps, wired.scanning);
  const scanners = scan.passes.map((passes) =>
    startSweeper(passes, { log, pause: createPause(), intervalMs: SCAN_INTERVAL_MS }),
  );
  const heartbeat = startServiceHeartbeat(wired, 'content');
  return {
    async stop() {
      await heartbeat.stop();
      await subscription.drain();
      const ended = [sweeper, pictures, checks, ...scanners].map((one) => one.stop());
      // A scan that this stop cuts off must not count as a try.
      await Promise.all([...ended, scan.giveBack()]);
      await renderer.close();
    },
  };
}
