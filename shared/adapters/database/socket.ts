import { connect, Socket } from 'node:net';
import type { Host, HostChoice } from './hosts.ts';
import { secure, type TlsMode } from './tls.ts';

/**
 * The server's address as the client (postgres 3.4) passes it when it wants a socket; lists, as there may be several.
 */
interface Address {
  host: string[];
  port: number[];
  path: string | false | undefined;
}

export interface WatchedSockets {
  open(address: Address): Socket | Promise<Socket>;
  /** Ends all that are open: their server is not, or no more, the one that takes changes. */
  dropAll(): void;
}

export interface WatchOptions {
  /** A connection ends when nothing comes back for so many ms after something was sent. */
  silenceMs: number;
  /** How connections are encrypted; `null`: not at all. Connections over a Unix socket never are. */
  tls: TlsMode | null;
  /** Longest until a connection is encrypted, in ms. */
  tlsLimitMs: number;
  /** Told of the server whose connection was not taken, or was silent. */
  hosts: HostChoice;
  /** Called when a connection ends that the client has not ended. */
  onLost(): void;
}

/** A connection that ends within so many ms was not taken: it was one to a standby. */
const NOT_TAKEN_MS = 3_000;

/**
 * Sockets that end when nothing comes back for a while after something was sent: the other end is gone without having
 * said so, as behind a firewall that has forgotten the connection. The client itself would wait as long as the system
 * does, a quarter of an hour, and have no other connection meanwhile. The client must not encrypt them itself.
 */
export function createWatchedSockets({
  silenceMs,
  tls,
  tlsLimitMs,
  hosts,
  onLost,
}: WatchOptions): WatchedSockets {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  };

  const watch = (socket: Socket, address: Host): Socket => {
    const openedAt = performance.now();
    let isSilent = false;
    const isHeard = failUnlessHeard(socket);
    socket.once('close', () => {
      if (isSilent || !isHeard() || performance.now() - openedAt < NOT_TAKEN_MS) hosts.failed(address);
    });
    // The client names them in its errors.
    Object.assign(socket, address);
    let timer: Timer | undefined;
    const answered = (): void => {
      clearTimeout(timer);
      timer = undefined;
    };
    const write = socket.write.bind(socket);
    socket.write = ((...sent: Parameters<typeof write>) => {
      timer ??= setTimeout(() => {
        isSilent = true;
        socket.destroy(silent(silenceMs));
      }, silenceMs);
      write(...sent);
      // A full buffer keeps the client from reserving the connection for a BEGIN that it has just sent.
      return true;
    }) as typeof socket.write;
    socket.on('data', answered);
    socket.once('close', answered);
    tellLost(socket, onLost);
    return socket;
  };

  const openSecure = async (raw: Socket, address: Host, mode: TlsMode): Promise<Socket> => {
    try {
      const socket = await secure(raw, address, mode, tlsLimitMs);
      if (socket !== raw) keep(socket);
      return watch(socket, address);
    } catch (error) {
      hosts.failed(address);
      return failing(error instanceof Error ? error : new Error(String(error)));
    }
  };

  return {
    open({ host: own, port: ownPort, path }) {
      const address = hosts.choose() ?? { host: own[0] ?? 'localhost', port: ownPort[0] ?? 5432 };
      const raw = path ? connect(path) : connect(address.port, address.host);
      keep(raw);
      return tls === null || path ? watch(raw, address) : openSecure(raw, address, tls);
    },
    dropAll() {
      // Without an error: the client forgets what it sends between an error and the close.
      for (const socket of [...sockets]) socket.destroy();
    },
  };
}

/** A socket that fails as soon as the client listens: told by a rejection, it would never use that connection again. */
function failing(error: Error): Socket {
  const socket = new Socket();
  // The client sends its first message before it hears of the failure.
  socket.write = () => true;
  setTimeout(() => socket.destroy(error));
  return socket;
}

/**
 * A connection that ends before the server said anything has failed. For the client it has just ended, as behind a proxy
 * whose server is away, and it connects anew at once, hundreds of times a second.
 * @returns whether the server has said anything by now
 */
function failUnlessHeard(socket: Socket): () => boolean {
  let isHeard = false;
  socket.once('data', () => {
    isHeard = true;
  });
  socket.once('close', (hadError) => {
    if (!isHeard && !hadError) socket.emit('error', unheard());
  });
  return () => isHeard;
}

/** The client says so before it ends a connection; one that the server ends is ended here without a word. */
function tellLost(socket: Socket, onLost: () => void): void {
  socket.once('close', onLost);
  const end = socket.end.bind(socket);
  socket.end = ((...sent: Parameters<typeof end>) => {
    if (sent.length > 0) socket.off('close', onLost);
    return end(...sent);
  }) as typeof socket.end;
}

const unheard = (): Error =>
  Object.assign(new Error('The database closed the connection without a word.'), { code: 'ECONNRESET' });

const silent = (ms: number): Error =>
  Object.assign(new Error(`The database was silent for ${ms} ms.`), { code: 'ETIMEDOUT' });
