import type { Metrics } from '../metrics.ts';
import type { Scanner } from '../ports/scanner.ts';
import type { Examiner } from './examiner.ts';
import type { LinkBlocklist } from './link-blocklist.ts';
import type { ScanCounts } from './scan-metrics.ts';
import type { ScanSettings } from './settings.ts';

/** All that looks through content. */
export interface Scanning {
  settings: ScanSettings;
  /** `null`: only links are looked at. */
  scanner: Scanner | null;
  /** `null`: links are not looked at. */
  links: LinkBlocklist | null;
  /** Examiner for requests that wait for it. */
  examiner: Examiner;
  /** Examiner for all that nobody waits for: however much it is, it takes no place from requests. */
  background: Examiner;
  counts: ScanCounts;
  observe(metrics: Metrics): void;
}
