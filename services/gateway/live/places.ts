import { errors } from '../../../shared/errors.ts';
import type { LoadShedding } from '../../../shared/load-shedding.ts';
import { createFairBudget } from '../admission/fair-budget.ts';
import type { RequestContext } from '../http/request-context.ts';

/** Places for watchers: streams, and requests that wait for a change. They have none among the requests under way. */
export interface WatcherPlaces {
  /**
   * Takes a place. Returns how to give it back; more than once does no harm.
   * @throws RATE_LIMITED when the client has as many as it may, UNAVAILABLE when the gateway has no more for it
   */
  take(context: RequestContext): () => void;
  readonly taken: number;
}

/** Most watchers of one gateway; a client alone gets half of these. */
const MOST_WATCHERS = 10_000;

/** The time in which a client that has too many watchers may well have fewer, in seconds. */
const RETRY_SECONDS = 15;

/** @param perClient most watchers of one client on this gateway; 0: no limit but its share */
export function createWatcherPlaces(perClient: number, loadShedding: LoadShedding): WatcherPlaces {
  const refuse = () => loadShedding.shed('watchers');
  const budget = createFairBudget({ total: MOST_WATCHERS, refuse });
  const byClient = new Map<string, number>();
  let taken = 0;

  return {
    take(context) {
      const { clientKey } = context;
      const own = byClient.get(clientKey) ?? 0;
      if (perClient > 0 && own >= perClient)
        throw errors.rateLimited(`followed values (${perClient} at most)`, RETRY_SECONDS);
      const holding = budget.open(clientKey);
      if (!holding.tryTake(1)) throw refuse();
      byClient.set(clientKey, own + 1);
      taken += 1;
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        holding.release();
        taken -= 1;
        const left = (byClient.get(clientKey) ?? 1) - 1;
        if (left === 0) byClient.delete(clientKey);
        else byClient.set(clientKey, left);
      };
    },
    get taken() {
      return taken;
    },
  };
}
