import type { Server } from 'bun';
import type { Logger } from '../../shared/logger.ts';

/**
 * Longest a stop waits for requests under way, in ms: below the limit of the whole stop, so that one slow upload does
 * not cost the steps that follow.
 */
const UNDER_WAY_LIMIT_MS = 8_000;

/** A request of which only the first bytes are there is not under way yet; its head gets so long, in ms. */
const LATE_REQUEST_MS = 250;

const POLL_MS = 10;

interface CloseOptions {
  underWay(): number;
  /** Whether others are to notice nothing: then late requests are waited for. */
  gently: boolean;
  log: Logger;
}

/**
 * Takes no new connections, finishes the requests under way as far as they end soon, then closes what is left. Bun itself
 * closes connections that wait between two requests at once, those that have brought none yet when they do, and the others
 * behind their answer.
 */
export async function closeServer(
  server: Server<unknown>,
  { underWay, gently, log }: CloseOptions,
): Promise<void> {
  const closed = server.stop();
  if (gently) await Bun.sleep(LATE_REQUEST_MS);
  const limit = performance.now() + UNDER_WAY_LIMIT_MS;
  while (underWay() > 0 || server.pendingRequests > 0) {
    if (performance.now() > limit) {
      log.warn({ underWay: underWay() }, 'requests that did not end in time are cut off');
      break;
    }
    await Bun.sleep(POLL_MS);
  }
  await server.stop(true);
  await closed;
}
