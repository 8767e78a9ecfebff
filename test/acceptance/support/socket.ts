import { connect } from 'node:net';
import { expectDocumentedRaw } from './documented.ts';

/** An answer as it came over the wire. Header names are lower-case. */
export interface RawResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** A TCP connection to a gateway, for what no HTTP client would send. */
export interface RawConnection {
  send(data: string | Uint8Array): Promise<void>;
  /** Resolves with the answer when the server has closed the connection: ask it to with `Connection: close`. */
  response(): Promise<RawResponse>;
  /** Breaks off with a reset. */
  destroy(): void;
}

export function openConnection(url: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    const chunks: Buffer[] = [];
    const closed = new Promise<void>((ended) => {
      socket.once('close', () => ended());
    });
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', reject);
    socket.once('connect', () =>
      resolve({
        send: (data) =>
          new Promise((sent, failed) => {
            socket.write(data, (error) => (error ? failed(error) : sent()));
          }),
        async response() {
          await closed;
          return parse(Buffer.concat(chunks));
        },
        destroy() {
          socket.resetAndDestroy();
        },
      }),
    );
  });
}

/** Sends a request line and headers exactly as given, with a Host, and reads the answer. */
export async function rawRequest(
  url: string,
  requestLine: string,
  headers: string[] = [],
): Promise<RawResponse> {
  const connection = await openConnection(url);
  const head = [`${requestLine} HTTP/1.1`, `Host: ${new URL(url).host}`, 'Connection: close', ...headers];
  await connection.send(`${head.join('\r\n')}\r\n\r\n`);
  const response = await connection.response();
  expectDocumentedRaw(requestLine, response);
  return response;
}

/** The first answer of a connection: what follows its length answers what the server took for one more request. */
function parse(bytes: Buffer): RawResponse {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) throw new Error(`no answer, but: ${JSON.stringify(bytes.toString().slice(0, 200))}`);
  const [statusLine = '', ...lines] = bytes.toString('utf8', 0, end).split('\r\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  const named = Object.fromEntries(headers) as Record<string, string>;
  const body = bytes.subarray(end + 4);
  const length = Number(named['content-length'] ?? body.length);
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: named,
    body: body.toString('utf8', 0, length),
  };
}
