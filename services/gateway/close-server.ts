import type { Server } from 'bun';
import type { Logger } from '../../shared/logger.ts';

/**
 * Longest a stop waits for requests under way, in ms: below the limit of the whole stop, so that one slow upload does
 * not cost the steps that follow.
 */
const UNDER_WAY_LIMIT_MS = 8_000;

/** Longest wait for the rest of a request's head, in ms: such a request does not count as under way yet. */
const LATE_REQUEST_MS = 250;

const POLL_MS = 10;

interface CloseOptions {
  underWay(): number;
  /** Whether clients must not notice the stop: then requests whose head is still arriving are waited for. */
  gently: boolean;
  log: Logger;
}

/**
 * Takes no new connections, waits up to `UNDER_WAY_LIMIT_MS` for the requests under way, then closes all connections. Bun
 * itself closes idle keep-alive connections at once, those without a request so far when they send one, and the others
 * after their answer.
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
