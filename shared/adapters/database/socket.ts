import { connect, type Socket } from 'node:net';

/**
 * The server's address as the client (postgres 3.4) passes it when it wants a socket; lists, as there may be several.
 */
interface Address {
  host: string[];
  port: number[];
  path: string | false | undefined;
  ssl?: unknown;
}

/**
 * Sockets that end when nothing comes back for so many ms after something was sent: the other end is gone without having
 * said so, as behind a firewall that has forgotten the connection. The client itself would wait as long as the system
 * does, a quarter of an hour, and have no other connection meanwhile. With TLS it does: what comes back, and what was
 * written, is not seen here.
 * @param onLost called when a connection ends that the client has not ended; with TLS it is not known
 */
export function createWatchedSockets(silenceMs: number, onLost: () => void): (address: Address) => Socket {
  let opened = 0;

  return ({ host, port, path, ssl }) => {
    const place = opened++ % Math.max(1, host.length);
    const [ownHost, ownPort] = [host[place] ?? 'localhost', port[place] ?? 5432];
    const socket = path ? connect(path) : connect(ownPort, ownHost);
    // The client names them in its errors.
    Object.assign(socket, { host: ownHost, port: ownPort });
    failUnlessHeard(socket);
    if (ssl) return socket;
    let timer: Timer | undefined;
    const answered = (): void => {
      clearTimeout(timer);
      timer = undefined;
    };
    const write = socket.write.bind(socket);
    socket.write = ((...sent: Parameters<typeof write>) => {
      timer ??= setTimeout(() => socket.destroy(silent(silenceMs)), silenceMs);
      write(...sent);
      // A full buffer keeps the client from reserving the connection for a BEGIN that it has just sent.
      return true;
    }) as typeof socket.write;
    socket.on('data', answered);
    socket.once('close', answered);
    tellLost(socket, onLost);
    return socket;
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
