import type { Socket } from 'node:net';

/** The faults that a proxy injects at the moment. */
export interface LinkState {
  /** How long each chunk toward the server is held, in ms. */
  readonly delayMs: number;
  /** Nothing passes, and nothing ends either. */
  readonly isFrozen: boolean;
}

/** Two sockets that are one connection to those at its ends. */
export interface TcpRelay {
  /** To be called when the state has changed. */
  update(): void;
  /** Whether this one alone is frozen. */
  strand(isStranded: boolean): void;
  /** Ends both connections with FIN (`close`) or RST (`reset`). Data under way is lost. */
  close(): void;
  reset(): void;
}

/** Most bytes held one way; beyond that nothing more is read, as on a slow line. */
const HELD_LIMIT_BYTES = 1_048_576;

/** Passes bytes both ways. An end, and a failure, of one socket becomes that of the other. */
export function relay(client: Socket, server: Socket, link: LinkState, onClosed: () => void): TcpRelay {
  let isStranded = false;
  const state: LinkState = {
    get delayMs() {
      return link.delayMs;
    },
    get isFrozen() {
      return isStranded || link.isFrozen;
    },
  };
  const ways = [passOn(client, server, state, () => state.delayMs), passOn(server, client, state, () => 0)];
  for (const [socket, other] of [
    [client, server],
    [server, client],
  ] as const) {
    // Not `destroy`: a peer that died must not look like one that took leave.
    socket.on('error', () => other.resetAndDestroy());
    socket.on('close', () => {
      if (!client.destroyed || !server.destroyed) return;
      for (const way of ways) way.stop();
      onClosed();
    });
  }
  const update = (): void => {
    for (const way of ways) way.update();
  };
  return {
    update,
    strand: (stranded) => {
      isStranded = stranded;
      update();
    },
    close: () => {
      client.destroy();
      server.destroy();
    },
    reset: () => {
      client.resetAndDestroy();
      server.resetAndDestroy();
    },
  };
}

/** One way. No more than the limit is held here, and a reader that is slow slows the writer down. */
function passOn(from: Socket, to: Socket, state: LinkState, delayMs: () => number) {
  const held: Array<{ bytes: Uint8Array; since: number }> = [];
  let heldBytes = 0;
  let isFull = false;
  let isEnded = false;
  let timer: Timer | undefined;

  const update = (): void => {
    clearTimeout(timer);
    while (!state.isFrozen && !isFull) {
      const [next] = held;
      if (next === undefined) {
        if (isEnded && !to.writableEnded) to.end();
        break;
      }
      const waitMs = next.since + delayMs() - performance.now();
      if (waitMs > 0) {
        timer = setTimeout(update, Math.ceil(waitMs));
        break;
      }
      held.shift();
      heldBytes -= next.bytes.length;
      isFull = !to.write(next.bytes);
    }
    if (state.isFrozen || isFull || heldBytes >= HELD_LIMIT_BYTES) from.pause();
    else from.resume();
  };
  from.on('data', (bytes: Uint8Array) => {
    held.push({ bytes, since: performance.now() });
    heldBytes += bytes.length;
    update();
  });
  from.on('end', () => {
    isEnded = true;
    update();
  });
  to.on('drain', () => {
    isFull = false;
    update();
  });
  update();
  return { update, stop: () => clearTimeout(timer) };
}
