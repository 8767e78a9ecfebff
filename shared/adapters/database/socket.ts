import { connect, type Socket } from 'node:net';

import type { HostChoice } from './hosts.ts';

/**
 * The server's address as the client (postgres 3.4) passes it when it wants a socket; lists, as there may be several.
 */
interface Address {
  host: string[];
  port: number[];
  path: string | false | undefined;
  ssl?: unknown;
}

export interface WatchedSockets {
  open(address: Address): Socket;
  /** Ends all that are open: their server is not, or no more, the one that takes changes. */
  dropAll(): void;
}

/** A connection that ends within so many ms was not taken: nobody was there, or it was a standby. */
const NOT_TAKEN_MS = 3_000;

/**
 * Sockets that end when nothing comes back for so many ms after something was sent: the other end is gone without having
 * said so, as behind a firewall that has forgotten the connection. The client itself would wait as long as the system
 * does, a quarter of an hour, and have no other connection meanwhile. With TLS it does: what comes back, and what was
 * written, is not seen here.
 * @param hosts told of the server whose connection was not taken, or was silent
 * @param onLost called when a connection ends that the client has not ended; with TLS it is not known
 */
export function createWatchedSockets(
  silenceMs: number,
  hosts: HostChoice,
  onLost: () => void,
): WatchedSockets {
  const sockets = new Set<Socket>();

  const open = ({ host: own, port: ownPort, path, ssl }: Address): Socket => {
    const address = hosts.choose() ?? { host: own[0] ?? 'localhost', port: ownPort[0] ?? 5432 };
    const { host, port } = address;
    const socket = path ? connect(path) : connect(port, host);
    const openedAt = performance.now();
    let isSilent = false;
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      if (isSilent || performance.now() - openedAt < NOT_TAKEN_MS) hosts.failed(address);
    });
    // The client names them in its errors.
    Object.assign(socket, { host, port });
    failUnlessHeard(socket);
    if (ssl) return socket;
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

  return {
    open,
    dropAll() {
      // Without an error: the client forgets what it sends between an error and the close.
      for (const socket of [...sockets]) socket.destroy();
    },
  };
}

/**
 * A connection that ends before the server said anything has failed. For the client it has just ended, as behind a proxy
 * whose server is away, and it connects anew at once, hundreds of times a second.
 */
function failUnlessHeard(socket: Socket): void {
  let isHeard = false;
  socket.once('data', () => {
    isHeard = true;
  });
  socket.once('close', (hadError) => {
    if (!isHeard && !hadError) socket.emit('error', unheard());
  });
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
