import { readBlocklist } from '../../../shared/contracts/blocklist.ts';
import { call } from '../../../shared/contracts/call.ts';
import { steadyNow } from '../../../shared/deadline.ts';
import { errors } from '../../../shared/errors.ts';
import { createFreshSingleFlight } from '../../../shared/fresh-single-flight.ts';
import { newRequestId } from '../../../shared/ids.ts';
import type { Logger } from '../../../shared/logger.ts';
import type { Bus } from '../../../shared/ports/bus.ts';
import { senderOf } from '../http/client.ts';
import type { RequestContext } from '../http/request-context.ts';
import { type BlockMatcher, createBlockMatcher } from './block-matcher.ts';

/** Pause between two looks at the list, in ms. With the look itself, a change is known within two seconds. */
const POLL_MS = 1_000;

/** Time for one look at the list, in ms. */
const READ_MS = 900;

/** Clients that the operator has blocked, as this gateway knows them. */
export interface Blocklist {
  /** Resolves when the client may create and change items. @throws CLIENT_BLOCKED */
  admit(context: RequestContext): Promise<void>;
  /** Whether `admit` would refuse a client; also while this gateway does not know the list yet. */
  mayRefuse(clientIp: string, userAgent: string | null): boolean;
  /** Reads the list anew: this gateway has just changed it. A failure is left to the next look. */
  refresh(): Promise<void>;
  stop(): void;
}

/**
 * Looks at the list once a second: nobody who creates or changes waits for it, but in the first moment after a start. While
 * `content` does not answer, the list that was read last holds.
 */
export function createBlocklist(bus: Bus, log: Logger): Blocklist {
  let matches: BlockMatcher = createBlockMatcher([]);
  let revision: number | null = null;
  let isAway = false;
  const share = createFreshSingleFlight<void>();

  const read = async (): Promise<void> => {
    const context = { requestId: newRequestId(), deadline: steadyNow() + READ_MS };
    const found = await call(bus, readBlocklist, { known: revision }, context);
    if (found.entries === null) return;
    matches = createBlockMatcher(found.entries);
    revision = found.revision;
  };
  const refresh = () =>
    share('', async () => {
      try {
        await read();
        isAway = false;
      } catch (error) {
        if (!isAway) log.warn({ error }, 'the blocklist cannot be read; what was read last holds');
        isAway = true;
      }
    });
  const polling = setInterval(() => void refresh(), POLL_MS);
  polling.unref();

  return {
    refresh,
    async admit(context) {
      if (revision === null && !isAway) await refresh();
      const { clientIp, userAgent } = senderOf(context);
      if (matches(clientIp, userAgent, Date.now())) throw errors.clientBlocked();
    },
    mayRefuse: (clientIp, userAgent) => revision === null || matches(clientIp, userAgent, Date.now()),
    stop: () => clearInterval(polling),
  };
}
