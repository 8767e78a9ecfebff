/** When new content is looked through: before it is answered, or in the background. */
export const SCAN_MODES = ['before', 'behind'] as const;

/** While the scanner is away content is held back, or let pass and looked through later. */
export const SCAN_WHEN_AWAY = ['hold', 'pass'] as const;

export interface ScanSettings {
  /** Where clamd listens; `null`: there is no scanner. */
  clamdUrl: string | null;
  mode: (typeof SCAN_MODES)[number];
  whenAway: (typeof SCAN_WHEN_AWAY)[number];
  /** Content above so many bytes is not sent to the scanner. */
  maxBytes: number;
  /** A rescan of all that is stored begins so long after the one before, in ms; 0: only the operator starts one. */
  rescanEveryMs: number;
  /** Items that a rescan looks through in a second, over all processes. */
  rescanPerSecond: number;
  /** A file of hosts that no page may link to; `null`: none. */
  linksFile: string | null;
}
