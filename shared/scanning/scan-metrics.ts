import { Counter, Gauge, Histogram } from 'prom-client';
import type { Metrics } from '../metrics.ts';
import type { Verdict } from '../ports/scanner.ts';
import type { LinkBlocklistState } from './link-blocklist.ts';

/** How one scan went: by its verdict; `away`: the scanner did not answer; `late`: it did, but not in time. */
export type ScanOutcome = Verdict['result'] | 'away' | 'late';

const OUTCOMES: readonly ScanOutcome[] = ['clean', 'found', 'unscannable', 'away', 'late'];

/** Work that waits, as it was last counted in the database. */
export interface ScanFigures {
  /** Items that wait for their first scan. */
  waiting: number;
  /** How long the oldest of them has waited, in seconds. */
  oldestSeconds: number;
  /** Items of a rescan that wait. */
  rescan: number;
  quarantined: number;
}

/** Counts scans; metrics of the process show them once they are observed. */
export interface ScanCounts {
  scanned(outcome: ScanOutcome, ms: number): void;
  linkRefused(): void;
  show(figures: ScanFigures): void;
  observe(metrics: Metrics, links: () => LinkBlocklistState | null): void;
}

export function createScanCounts(): ScanCounts {
  let scans: Counter<'result'> | null = null;
  let seconds: Histogram | null = null;
  let refused: Counter | null = null;
  let figures: ScanFigures | null = null;
  return {
    scanned(outcome, ms) {
      scans?.inc({ result: outcome });
      seconds?.observe(ms / 1000);
    },
    linkRefused: () => refused?.inc(),
    show(found) {
      figures = found;
    },
    observe({ registry }, links) {
      const registers = [registry];
      scans = new Counter({
        name: 'scans_total',
        help: 'Contents that were sent to the scanner, by what came of it.',
        labelNames: ['result'],
        registers,
      });
      for (const result of OUTCOMES) scans.inc({ result }, 0);
      seconds = new Histogram({
        name: 'scan_seconds',
        help: 'Time of a scan.',
        registers,
        buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 30],
      });
      refused = new Counter({
        name: 'links_refused_total',
        help: 'Pages refused for a link to a host of the blocklist.',
        registers,
      });
      const gauge = (name: string, help: string, of: () => number | null): void => {
        new Gauge({
          name,
          help,
          registers,
          collect() {
            const value = of();
            if (value === null) this.remove();
            else this.set(value);
          },
        });
      };
      gauge('scans_waiting', 'Items that wait for their first scan.', () => figures?.waiting ?? null);
      gauge(
        'scans_oldest_seconds',
        'How long the oldest of them has waited.',
        () => figures?.oldestSeconds ?? null,
      );
      gauge('rescans_waiting', 'Items of a rescan that wait.', () => figures?.rescan ?? null);
      gauge('quarantined_items', 'Items in quarantine.', () => figures?.quarantined ?? null);
      gauge('link_blocklist_hosts', 'Hosts that no page may link to.', () => links()?.hosts ?? null);
      gauge(
        'link_blocklist_bad_lines',
        'Lines of their file that name no host.',
        () => links()?.badLines ?? null,
      );
      gauge('link_blocklist_stale', 'Whether their file cannot be read (1) or can (0).', () => {
        const state = links();
        if (state === null) return null;
        return state.problem === null ? 0 : 1;
      });
    },
  };
}
