/**
 * How long requests wait for a lost connection to come back, and then for the services, which have to reconnect too, in ms.
 */
const GRACE_MS = 5_000;

/** The bounds of the queue: requests, and their bytes. */
const MAX = { requests: 1_000, bytes: 32 * 1_048_576 };

/** Pause before a request that reached no service is sent again, in ms. */
const RETRY_MS = 100;

interface Waiting {
  bytes: Uint8Array;
}

/** The requests that wait for the end of a short outage, unsent. */
export interface Outage<R extends Waiting> {
  /** Whether the connection is lost. */
  isLost(): boolean;
  /** Lets a request wait. `false`: the outage has lasted too long, or too much waits already. */
  wait(request: R): boolean;
  /** Takes out a request that was given up meanwhile. */
  leave(request: R): void;
  /** Begins an outage: called when the connection is lost. */
  begin(): void;
  /** Ends an outage: called when the connection is back; sends what waits. */
  end(): void;
  /** Gives up what waits. */
  close(): void;
}

/**
 * A server that restarts, or gets another address, is back within a few seconds: until then requests wait rather than fail.
 * For some seconds after that, requests that reach no service wait, as each service has to find the server again by itself.
 * In a longer outage requests fail at once, so that they do not pile up.
 * @param send sends a request
 * @param giveUp fails a request that has waited in vain
 */
export function createOutage<R extends Waiting>(
  send: (request: R) => void,
  giveUp: (request: R) => void,
): Outage<R> {
  const waiting = new Set<R>();
  let bytes = 0;
  let isLost = false;
  let graceUntil = 0;
  let timer: Timer | undefined;

  const leave = (request: R): void => {
    if (waiting.delete(request)) bytes -= request.bytes.length;
  };
  const takeAll = (act: (request: R) => void): void => {
    const all = [...waiting];
    for (const request of all) leave(request);
    for (const request of all) act(request);
  };
  const giveAllUp = (): void => {
    graceUntil = 0;
    clearTimeout(timer);
    takeAll(giveUp);
  };

  return {
    isLost: () => isLost,
    wait(request) {
      if (performance.now() >= graceUntil) return false;
      if (waiting.size >= MAX.requests || bytes + request.bytes.length > MAX.bytes) return false;
      if (waiting.size === 0 && !isLost) {
        clearTimeout(timer);
        timer = setTimeout(() => takeAll(send), RETRY_MS);
      }
      waiting.add(request);
      bytes += request.bytes.length;
      return true;
    },
    leave,
    begin() {
      isLost = true;
      graceUntil = performance.now() + GRACE_MS;
      clearTimeout(timer);
      timer = setTimeout(giveAllUp, GRACE_MS);
    },
    end() {
      isLost = false;
      graceUntil = performance.now() + GRACE_MS;
      clearTimeout(timer);
      takeAll(send);
    },
    close: giveAllUp,
  };
}
