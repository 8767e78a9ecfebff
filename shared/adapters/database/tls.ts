import { isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect } from 'node:tls';
import type { Host } from './hosts.ts';

/** How connections to the server are encrypted. */
export interface TlsMode {
  /** Whether the server's certificate must be one for its name, of an authority that this process trusts. */
  verifies: boolean;
  /** Goes on without encryption where the server has none. */
  isOptional: boolean;
}

/** Modes of libpq that encrypt and trust any certificate. */
const UNVERIFIED = new Set(['require', 'allow', 'prefer']);

/**
 * The encryption that an address asks for by `sslmode` or `ssl`, as the client (postgres 3.4) reads them: `require`, `allow` and `prefer`
 * trust any certificate, all else but `disable` and `false` verifies it. `null`: none.
 */
export function tlsModeOf(query: URLSearchParams): TlsMode | null {
  const mode =
    query.get('sslrootcert') === 'system' ? 'verify-full' : (query.get('sslmode') ?? query.get('ssl'));
  if (mode === null || mode === 'disable' || mode === 'false') return null;
  return { verifies: !UNVERIFIED.has(mode), isOptional: mode === 'prefer' };
}

/** SSLRequest: its length and its code (PostgreSQL, "Message Formats"). */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);
const YES = 'S'.charCodeAt(0);

/**
 * Encrypts a connection that is being made. The client would do it by itself, and take our listeners off the socket.
 * @throws Error when it is not encrypted within so many ms, as the server is away, has no TLS or none to be trusted; the
 * socket is destroyed then
 */
export async function secure(raw: Socket, host: Host, mode: TlsMode, limitMs: number): Promise<Socket> {
  let tls: Socket | null = null;
  // Failures of either socket after the outcome is known are of no use to anybody.
  raw.on('error', () => undefined);
  const limit = setTimeout(() => (tls ?? raw).destroy(timedOut(limitMs)), limitMs);
  try {
    await opened(raw, 'connect');
    raw.write(SSL_REQUEST);
    if ((await answerOf(raw)) !== YES) {
      if (mode.isOptional) return raw;
      throw Object.assign(new Error('The database server has no TLS.'), { code: 'ECONNREFUSED' });
    }
    const options: ConnectionOptions = {
      socket: raw,
      host: host.host,
      rejectUnauthorized: mode.verifies,
      ...(isIP(host.host) ? {} : { servername: host.host }),
    };
    tls = connect(options);
    tls.on('error', () => undefined);
    await opened(tls, 'secureConnect');
    return tls;
  } catch (error) {
    (tls ?? raw).destroy();
    raw.destroy();
    throw error;
  } finally {
    clearTimeout(limit);
  }
}

function opened(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return settled(socket, event, () => undefined);
}

/** The byte with which the server answers an SSLRequest. */
const answerOf = (socket: Socket): Promise<number | undefined> =>
  settled(socket, 'data', (chunk) => (chunk instanceof Uint8Array ? chunk[0] : undefined));

function settled<T>(socket: Socket, event: string, of: (value: unknown) => T): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const done = (value: unknown): void => resolve(of(value));
  const ended = (): void => reject(closed());
  socket.once(event, done).once('error', reject).once('close', ended);
  return promise.finally(() => {
    socket.off(event, done).off('error', reject).off('close', ended);
  });
}

const closed = (): Error =>
  Object.assign(new Error('The database closed the connection before it was encrypted.'), {
    code: 'ECONNRESET',
  });

const timedOut = (ms: number): Error =>
  Object.assign(new Error(`The connection to the database was not encrypted within ${ms} ms.`), {
    code: 'ETIMEDOUT',
  });
