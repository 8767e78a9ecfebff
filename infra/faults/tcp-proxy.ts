import { connect, createServer, type Socket } from 'node:net';
import { freePort } from '../servers/port.ts';

/** A TCP link whose faults are ours: clients connect to its loopback port instead of to the target's. */
export interface TcpProxy {
  name: string;
  port: number;
  /** How many connections it holds. */
  connections(): number;
  /** From now on each chunk toward the server is held so many ms; several are on their way at once. 0: no more. */
  delay(ms: number): void;
  /** Closes the present connections and refuses new ones. */
  cut(): Promise<void>;
  /** The present connections end with RST; new ones go on. */
  reset(): void;
  /** Half-open: nothing passes either way, nothing is closed; new connections are accepted and stay silent. */
  freeze(): void;
  /** The present connections alone fall silent, as when a firewall forgets them; new ones go on. */
  strand(): void;
  /** Restores the initial state. Data sent over a silent connection meanwhile arrives now. */
  heal(): Promise<void>;
  /** Closes everything. */
  stop(): Promise<void>;
}

interface TcpProxyOptions {
  name: string;
  target: { host: string; port: number };
  /** Where it listens: on a free port of 127.0.0.1 unless said. */
  listen?: { host: string; port: number };
}

/** Starts a proxy that passes everything on, as long as nothing else is asked of it. */
export async function startTcpProxy({ name, target, listen: at }: TcpProxyOptions): Promise<TcpProxy> {
  const { host, port } = at ?? { host: '127.0.0.1', port: await freePort() };
  const state = { delayMs: 0, isFrozen: false };
  /** Accepted connections and their relays; `null` for a connection accepted while the link was frozen. */
  const links = new Map<Socket, TcpRelay | null>();

  const passOn = (client: Socket): void => {
    const server = connect({ ...target, allowHalfOpen: true, noDelay: true });
    links.set(
      client,
      relay(client, server, state, () => links.delete(client)),
    );
  };
  const listener = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    links.set(client, null);
    if (!state.isFrozen) return passOn(client);
    client.pause();
    client.on('error', () => client.destroy());
    client.on('close', () => links.delete(client));
  });
  const listen = (): Promise<void> =>
    new Promise((resolve, reject) => {
      listener.once('error', reject);
      listener.listen(port, host, () => {
        listener.off('error', reject);
        resolve();
      });
    });
  const cut = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => {
      if (listener.listening) listener.close(() => resolve());
      else resolve();
    });
    for (const [client, link] of links) (link ?? { close: () => client.destroy() }).close();
    await closed;
  };
  await listen();

  return {
    name,
    port,
    connections: () => links.size,
    delay(ms) {
      state.delayMs = ms;
      for (const link of links.values()) link?.update();
    },
    cut,
    reset() {
      for (const [client, link] of links) (link ?? { reset: () => client.resetAndDestroy() }).reset();
    },
    freeze() {
      state.isFrozen = true;
      for (const link of links.values()) link?.update();
    },
    strand() {
      for (const link of links.values()) link?.strand(true);
    },
    async heal() {
      Object.assign(state, { delayMs: 0, isFrozen: false });
      for (const [client, link] of links) {
        if (link === null) passOn(client);
        else link.strand(false);
      }
      if (!listener.listening) await listen();
    },
    stop: cut,
  };
}

/** The faults that a proxy injects at the moment. */
interface LinkState {
  /** How long each chunk toward the server is held, in ms. */
  readonly delayMs: number;
  /** Nothing passes, and nothing ends either. */
  readonly isFrozen: boolean;
}

/** Two sockets that are one connection to those at its ends. */
interface TcpRelay {
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
function relay(client: Socket, server: Socket, link: LinkState, onClosed: () => void): TcpRelay {
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
