import { isRefusal, type Seen } from '../../infra/faults/send.ts';

/** How long a slow disk may keep what is asked for from being done, in ms. */
const PATIENCE_MS = 30_000;

/**
 * Sends a request that is no part of the fault until it is taken: what prepares a test, and what looks afterwards.
 * While a disk stalls it is refused, and a connection to a server that has just come back may still fail.
 */
export async function insist(ask: () => Promise<Seen>): Promise<Seen> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const seen = await ask();
    if ((seen.answered && !isRefusal(seen)) || Date.now() > deadline) return seen;
    await Bun.sleep(500);
  }
}
