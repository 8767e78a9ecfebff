import { connect, type Socket } from 'node:net';

/** Connections of one client that all do alike. */
export interface SlowConnections {
  /** Number of connections. One that ends, or is answered with anything but content, is opened again a while later. */
  count: number;
  /** The bytes each sends first: a request, with the beginning of its body. */
  opening: string;
  /** The bytes each sends every `everyMs` from then on; `null`: none. */
  drip: string | null;
  /** Whether each reads a little of its answer every `everyMs`: what the runtime takes at once, half a megabyte. */
  sips: boolean;
  everyMs: number;
}

export interface RunningConnections {
  /** Connections open now. */
  open(): number;
  /** Answers begun so far, by status. */
  statuses: Map<number, number>;
  /** Connections that have ended so far. */
  ended(): number;
  stop(): void;
}

/** On average. Slowly, too: many at once would be a flood of requests, which the limits by address are for. */
const REOPEN_AFTER_MS = 10_000;

/** Opens so many connections and keeps them busy as slowly as they are told to. */
export function openSlowConnections(url: string, slow: SlowConnections): RunningConnections {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const statuses = new Map<number, number>();
  let ended = 0;
  let isOver = false;
  const reopening = new Set<ReturnType<typeof setTimeout>>();

  const open = (): void => {
    const socket = connect(Number(port), hostname);
    let hasAnswer = false;
    sockets.add(socket);
    // Read by hand: what is not asked for stays with the server.
    socket.on('readable', () => {
      if (hasAnswer) return;
      const head: Uint8Array | null = socket.read(12) ?? socket.read();
      if (head === null) return;
      hasAnswer = true;
      const status = Number(Buffer.from(head).toString('latin1').split(' ')[1]);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status !== 200) socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.once('connect', () => socket.write(slow.opening));
    // Not all at the same moment, which would hold up whoever else is in this process.
    let ticking = setTimeout(tick, slow.everyMs * Math.random());
    function tick(): void {
      if (slow.drip !== null && socket.writable) socket.write(slow.drip);
      if (slow.sips) socket.read();
      ticking = setTimeout(tick, slow.everyMs);
    }
    socket.once('close', () => {
      clearTimeout(ticking);
      sockets.delete(socket);
      if (isOver) return;
      ended += 1;
      const timer = setTimeout(
        () => {
          reopening.delete(timer);
          open();
        },
        REOPEN_AFTER_MS * (0.5 + Math.random()),
      );
      reopening.add(timer);
    });
  };
  for (let n = 0; n < slow.count; n++) open();

  return {
    open: () => sockets.size,
    statuses,
    ended: () => ended,
    stop() {
      isOver = true;
      for (const timer of reopening) clearTimeout(timer);
      for (const socket of sockets) socket.destroy();
    },
  };
}
