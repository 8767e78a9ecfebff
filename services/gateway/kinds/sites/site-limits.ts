/** Limits of a site that a deployment sets, beside the fixed ones (`LIMITS` in shared/items/item.ts). */
export interface SiteLimits {
  /** Most bytes of all files of one site together. */
  maxBytes: number;
}

/** One file of a site on its way in. */
export interface SitePart {
  path: string;
  bytes: Uint8Array;
}
