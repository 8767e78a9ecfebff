import * as adminSessions from '../../shared/contracts/admin-sessions.ts';
import * as audit from '../../shared/contracts/audit.ts';
import * as blocklist from '../../shared/contracts/blocklist.ts';
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
import { handler, type OperationHandler } from '../../shared/contracts/serve.ts';
import * as serverState from '../../shared/contracts/server-state.ts';
import * as takedowns from '../../shared/contracts/takedowns.ts';
import { listItemsOfKind } from '../../shared/items/collections.ts';
import { describeItems } from '../../shared/items/describe-item.ts';
import { itemChangeHandlers } from '../../shared/items/item-change-handlers.ts';
import type { LoadShedding } from '../../shared/load-shedding.ts';
import type { Scanning } from '../../shared/scanning/scanning.ts';
import type { DomainDependencies } from './domains/check-claim.ts';
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

/** The operations of this service, each with the function that performs it. */
export function contentHandlers(
  deps: DomainDependencies,
  scanning: Scanning | null,
  loadShedding: LoadShedding,
): OperationHandler[] {
  const galleryLists = createGalleryLists({ ...deps, loadShedding });
  const itemChangeHandler = itemChangeHandlers(deps);
  return [
    handler(contract.reserveBlobs, (input) => reserveBlobs(deps, input)),
    handler(contract.extendBlobs, (input) => extendBlobs(deps, input)),
    handler(contract.trashBlobs, (input) => trashBlobs(deps, input)),
    handler(contract.resolveItem, (input) => resolveItem(deps, input)),
    handler(contract.resolveCode, (input) => resolveCode(deps, input)),
    handler(hosting.resolveLabel, (input) => resolveLabel(deps, input)),
    itemChangeHandler(hosting.labelItem, labelItem),
    itemChangeHandler(hosting.setDeliveryMode, setDeliveryMode),
    itemChangeHandler(domains.claimDomain, claimDomain),
    itemChangeHandler(domains.checkDomain, checkDomain),
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
    handler(scans.describeScans, () => describeScans(deps, scanning)),
    handler(scans.pingScanner, () => pingScanner(scanning)),
    handler(scans.startRescan, (input, context) => startRescan(deps, scanning, input, context)),
    itemChangeHandler(scans.releaseItem, (deps, input, context) =>
      releaseItem(deps, scanning, input, context),
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
}
