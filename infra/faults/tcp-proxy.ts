import { connect, createServer, type Socket } from 'node:net';
import { freePort } from '../servers/port.ts';
import { relay, type TcpRelay } from './tcp-relay.ts';

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

export interface TcpProxyOptions {
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
