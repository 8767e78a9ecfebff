import type { Config } from '../../../shared/config.ts';
import type { Scanning } from '../../../shared/scanning/scanning.ts';
import { createPause, type Pause } from '../../../shared/sweep/pause.ts';
import { startSweeper } from '../../../shared/sweep/sweeper.ts';
import type { DomainDependencies } from '../domains/check-claim.ts';
import { checkDueDomains } from './check-domains.ts';
import { createPictureMaking } from './make-pictures.ts';
import { contentPasses } from './passes.ts';
import { SCAN_INTERVAL_MS, scanPasses } from './scan-passes.ts';

/** Pictures for the gallery are made so long after their items at the latest, in ms, if there is time. */
const PICTURES_INTERVAL_MS = 2_000;

/** Part of the time that making them may take, as nobody waits for one: a burst of creates needs the processors itself. */
const PICTURES_SHARE = 0.2;

/** Domains are checked so long after they are due at the latest, in ms, if there is time: two in a second. */
const DOMAINS_INTERVAL_MS = 2_000;

interface Sweepers {
  stop(): Promise<void>;
}

/** Starts the background work of this service. @param pause that of the sweeper which repairs cached records */
export function startSweepers(
  deps: DomainDependencies,
  scanning: Scanning | null,
  {
    indexNow,
    customDomains,
    sweepIntervalMs,
  }: Pick<Config, 'indexNow' | 'customDomains' | 'sweepIntervalMs'>,
  pause: Pause,
): Sweepers {
  const { log } = deps;
  const scan = scanPasses(deps, scanning);
  const sweepers = [
    startSweeper(contentPasses(deps, indexNow), { log, pause, intervalMs: sweepIntervalMs }),
    startSweeper([['make-pictures', createPictureMaking(deps)]], {
      log,
      pause: createPause(),
      intervalMs: PICTURES_INTERVAL_MS,
      share: PICTURES_SHARE,
    }),
    startSweeper(customDomains === null ? [] : [['check-domains', () => checkDueDomains(deps)]], {
      log,
      pause: createPause(),
      intervalMs: Math.min(DOMAINS_INTERVAL_MS, sweepIntervalMs),
    }),
    ...scan.passes.map((passes) =>
      startSweeper(passes, { log, pause: createPause(), intervalMs: SCAN_INTERVAL_MS }),
    ),
  ];
  return {
    async stop() {
      const ended = sweepers.map((sweeper) => sweeper.stop());
      // A scan that this stop cuts off must not count as a try.
      await Promise.all([...ended, scan.giveBack()]);
    },
  };
}
