/** How an upload went, for programs: an item may be there and still not be what its owner meant (specification 3.7). */
export interface UploadResult {
  code: 'success' | 'duplicate' | 'warned' | 'failed';
  action: 'created' | 'created_missing_assets' | 'updated' | 'merged' | 'created_warned' | 'rejected';
  reason?: string;
  extras?: { isOwner?: true; localAssetRefs?: string[] };
}

/** Most addresses that `localAssetRefs` names. */
export const MOST_LOCAL_REFS = 50;

export const CREATED: UploadResult = { code: 'success', action: 'created' };
export const UPDATED: UploadResult = { code: 'success', action: 'updated' };

/** Of a repost that found the item that is there. Only its owner gets that far. */
export const MERGED: UploadResult = {
  code: 'duplicate',
  action: 'merged',
  reason: 'Your token has published these bytes here before: this is that item.',
  extras: { isOwner: true },
};

/** Of a page that asks for files beside it, which a page does not have. */
export const missingAssets = (localAssetRefs: string[]): UploadResult => ({
  code: 'warned',
  action: 'created_missing_assets',
  reason:
    'The page loads files beside it, which a page does not have. Publish it together with them as a site: POST /api/sites.',
  extras: { localAssetRefs },
});
