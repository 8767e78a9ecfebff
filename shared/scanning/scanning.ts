import { ConfigError } from '../config.ts';
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

/**
 * Reads the list of hosts for the first time.
 * @throws ConfigError when it cannot be read: every link would pass
 */
export async function readLinks({ links, settings }: Scanning): Promise<void> {
  await links?.refresh();
  const problem = links?.state().problem ?? null;
  if (problem === null) return;
  throw new ConfigError([
    `LINK_BLOCKLIST is ${settings.linksFile}; it wants a file that can be read (${problem})`,
  ]);
}
