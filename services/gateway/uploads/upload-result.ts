import type { QuarantineState } from '../../../shared/items/quarantine.ts';

/** How an upload went, for programs: an item may be there and still not be what its owner meant (specification 3.7). */
export interface UploadResult {
  code: 'success' | 'duplicate' | 'warned' | 'failed';
  action: 'created' | 'created_missing_assets' | 'updated' | 'merged' | 'created_warned' | 'rejected';
  reason?: string;
  extras?: {
    isOwner?: true;
    localAssetRefs?: string[];
    rootRefs?: readonly string[];
    storage?: readonly string[];
  };
}

/** Most addresses that `localAssetRefs` names. */
export const MAX_LOCAL_REFS = 50;

export const CREATED: UploadResult = { code: 'success', action: 'created' };
export const UPDATED: UploadResult = { code: 'success', action: 'updated' };

/** Result of a repost that found the item that is there. Only its owner gets that far. */
export const MERGED: UploadResult = {
  code: 'duplicate',
  action: 'merged',
  reason: 'Your token has published these bytes here before: this is that item.',
  extras: { isOwner: true },
};

/** Result for a page that asks for files beside it, which a page does not have. */
export const missingAssets = (localAssetRefs: string[]): UploadResult => ({
  code: 'warned',
  action: 'created_missing_assets',
  reason:
    'The page loads files beside it, which a page does not have. Publish it together with them as a site: POST /api/sites.',
  extras: { localAssetRefs },
});

/** Result for a page that is HTML only because nothing says otherwise, and has none in it. */
export const WITHOUT_TAGS: UploadResult = {
  code: 'warned',
  action: 'created_warned',
  reason:
    'The page is shown as HTML, as no format was given, but has no tag: its lines run together, and markdown stays as it is. Publish it with the format "markdown" or "text".',
};

const QUARANTINE_REASONS = {
  malware: (what: string) =>
    `In quarantine: the scanner found ${what}. Nobody but you can read it. Replace or remove it; if it is a mistake, tell the operator of this server.`,
  link: (what: string) =>
    `In quarantine: it links to ${what}, which the operator does not let pages link to.`,
  unscannable: (what: string) =>
    `In quarantine: it cannot be scanned, as it is ${what}. The operator can release it.`,
  unscanned: () => 'It is being scanned. Nobody but you can read it until that is done.',
};

/** The result, or that of an item that begins in quarantine, which goes before all others. */
export function orQuarantined(
  result: UploadResult,
  { quarantine }: { quarantine?: QuarantineState },
): UploadResult {
  if (quarantine === undefined) return result;
  return {
    code: 'warned',
    action: result.action === 'updated' ? 'updated' : 'created_warned',
    reason: QUARANTINE_REASONS[quarantine.cause](quarantine.verdict),
  };
}

const ROOT_REFS =
  'Its pages ask for addresses that begin at the root of the host ("/…"), where this site is not. Build it with relative addresses: for example "base: \'./\'" in Vite, or "homepage": "." in Create React App.';
const STORAGE =
  'It uses storage of the browser (localStorage, sessionStorage, indexedDB), which hosted sites have none of: reading it throws. Let it work without.';

/**
 * Result of a site: a plain success, or a warning about what will not work in it.
 * @param keepsOrigin whether it is shown with an origin of its own, and so has storage
 */
export function siteResult(
  success: UploadResult,
  { rootRefs, storage }: { rootRefs: readonly string[]; storage: readonly string[] },
  keepsOrigin: boolean,
): UploadResult {
  const usesStorage = storage.length > 0 && !keepsOrigin;
  const reasons = [...(rootRefs.length > 0 ? [ROOT_REFS] : []), ...(usesStorage ? [STORAGE] : [])];
  if (reasons.length === 0) return success;
  return {
    code: 'warned',
    action: success.action === 'updated' ? 'updated' : 'created_warned',
    reason: reasons.join(' '),
    extras: { ...(rootRefs.length > 0 ? { rootRefs } : {}), ...(usesStorage ? { storage } : {}) },
  };
}
