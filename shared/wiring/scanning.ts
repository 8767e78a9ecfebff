import { createClamdScanner } from '../adapters/scanner/clamd.ts';
import type { Config } from '../config.ts';
import type { Logger } from '../logger.ts';
import type { BlobStore } from '../ports/blob-store.ts';
import { createExaminer } from '../scanning/examiner.ts';
import { createLinkBlocklist } from '../scanning/link-blocklist.ts';
import { createScanCounts } from '../scanning/scan-metrics.ts';
import type { Scanning } from '../scanning/scanning.ts';

/** All that looks through content; `null` when no setting asks for any of it. */
export function createScanning(
  { scanning: settings }: Pick<Config, 'scanning'>,
  blobs: BlobStore,
  log: Logger,
): Scanning | null {
  const { clamdUrl, linksFile, maxBytes } = settings;
  if (clamdUrl === null && linksFile === null) return null;
  const connect = () => (clamdUrl === null ? null : createClamdScanner({ url: clamdUrl, maxBytes }));
  const scanner = connect();
  const links = linksFile === null ? null : createLinkBlocklist(linksFile, log);
  const counts = createScanCounts();
  return {
    settings,
    scanner,
    links,
    counts,
    examiner: createExaminer(blobs, scanner, links, counts),
    // With places of its own at the scanner, and a turn of its own for pages.
    background: createExaminer(blobs, connect(), links, counts),
    observe: (metrics) => counts.observe(metrics, () => links?.state() ?? null),
  };
}
