import type { Socket } from 'bun';

/** A server that speaks clamd's protocol as a test wants it: it says when a scan is answered, and how. */
export interface ClamdStandIn extends Disposable {
  url: string;
  /** The bytes of every content that came whole. */
  scanned: Uint8Array[];
  /** Scans under way at once, at the most so far. */
  most: number;
  /** The answer to the next scans, or how it follows from a content; `null`: none. */
  verdict: string | null | ((content: string) => string);
  /** Scans that wait for an answer. */
  readonly waiting: number;
  /** Lets go those that wait for an answer. */
  answerAll(verdict: string): void;
}

interface Talk {
  buffer: Buffer;
  content: Buffer[];
}

export function startClamdStandIn(verdict: ClamdStandIn['verdict'] = 'stream: OK'): ClamdStandIn {
  const waiting = new Set<Socket<Talk>>();
  const reading = new Set<Socket<Talk>>();
  const standIn = {
    scanned: [] as Uint8Array[],
    most: 0,
    verdict,
    get waiting() {
      return waiting.size;
    },
  };
  const settle = (socket: Socket<Talk>, answer: string): void => {
    reading.delete(socket);
    socket.end(`${answer}\0`);
  };
  const server = Bun.listen<Talk>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(socket) {
        socket.data = { buffer: Buffer.alloc(0), content: [] };
      },
      data(socket, bytes) {
        const { data } = socket;
        data.buffer = Buffer.concat([data.buffer, bytes]);
        if (!reading.has(socket)) {
          const nul = data.buffer.indexOf(0);
          if (nul < 0) return;
          const command = data.buffer.subarray(1, nul).toString();
          data.buffer = data.buffer.subarray(nul + 1);
          if (command === 'PING') return void socket.end('PONG\0');
          if (command === 'VERSION') return void socket.end('ClamAV 1.4/27000\0');
          reading.add(socket);
          standIn.most = Math.max(standIn.most, reading.size);
        }
        while (data.buffer.length >= 4) {
          const length = data.buffer.readUInt32BE(0);
          if (length === 0) {
            const content = Buffer.concat(data.content);
            standIn.scanned.push(content);
            if (standIn.verdict === null) waiting.add(socket);
            else
              settle(
                socket,
                typeof standIn.verdict === 'string' ? standIn.verdict : standIn.verdict(content.toString()),
              );
            return;
          }
          if (data.buffer.length < 4 + length) return;
          data.content.push(Buffer.from(data.buffer.subarray(4, 4 + length)));
          data.buffer = data.buffer.subarray(4 + length);
        }
      },
      close(socket) {
        reading.delete(socket);
        waiting.delete(socket);
      },
    },
  });
  return Object.assign(standIn, {
    url: `tcp://127.0.0.1:${server.port}`,
    answerAll(answer: string) {
      for (const socket of waiting) settle(socket, answer);
      waiting.clear();
    },
    [Symbol.dispose]: () => server.stop(true),
  });
}

/** Content in pieces of so many bytes. */
export async function* piecesOf(bytes: Uint8Array, size = 10_000): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}
