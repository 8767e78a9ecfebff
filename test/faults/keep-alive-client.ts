import { connect, type Socket } from 'node:net';
import { type Answer, createAnswerReader } from './answer-reader.ts';

/**
 * An HTTP client over several gateways that keeps its connections and never repeats a request. It goes over to another
 * gateway when one closes its connections behind its answers, and comes back when it is told.
 */
export interface KeepAliveClient {
  /** Sends to this gateway, or to another while this one has told to leave it. Rejects when the connection breaks. */
  send(request: Request, gateway: number): Promise<Answer>;
  /** Whether a gateway has told to leave it. */
  hasLeft(gateway: number): boolean;
  comeBack(gateway: number): void;
  close(): void;
}

export function createKeepAliveClient(gateways: string[]): KeepAliveClient {
  const idle = gateways.map((): Socket[] => []);
  const open = new Set<Socket>();
  const left = new Set<number>();

  const pick = (wanted: number): number => {
    if (!left.has(wanted)) return wanted;
    const other = gateways.findIndex((_, gateway) => !left.has(gateway));
    if (other < 0) throw new Error('every gateway has told to leave it');
    return other;
  };
  const dial = (gateway: number): Socket => {
    const { hostname, port } = new URL(gateways[gateway] ?? '');
    const socket = connect(Number(port), hostname);
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      open.delete(socket);
      const waiting = idle[gateway] ?? [];
      if (waiting.includes(socket)) waiting.splice(waiting.indexOf(socket), 1);
    });
    return socket;
  };

  return {
    async send(request, wanted) {
      const gateway = pick(wanted);
      const bytes = await wireFormat(request);
      const socket = idle[gateway]?.pop() ?? dial(gateway);
      const answer = await exchange(socket, bytes, request.method === 'HEAD');
      if (answer.headers.get('connection')?.toLowerCase() === 'close') {
        left.add(gateway);
        socket.destroy();
      } else idle[gateway]?.push(socket);
      return answer;
    },
    hasLeft: (gateway) => left.has(gateway),
    comeBack: (gateway) => void left.delete(gateway),
    close() {
      for (const socket of open) socket.destroy();
    },
  };
}

async function wireFormat(request: Request): Promise<Buffer> {
  const { pathname, search, host } = new URL(request.url);
  const body = Buffer.from(await request.arrayBuffer());
  const headers = [...request.headers].map(([name, value]) => `${name}: ${value}`);
  const length = request.method === 'GET' ? [] : [`content-length: ${body.length}`];
  const head = [`${request.method} ${pathname}${search} HTTP/1.1`, `host: ${host}`, ...headers, ...length];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]);
}

function exchange(socket: Socket, bytes: Buffer, isHead: boolean): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const reader = createAnswerReader(isHead);
    const settle = (): void => {
      socket.off('data', take);
      socket.off('close', broken);
    };
    const take = (chunk: Buffer): void => {
      const answer = reader.take(chunk);
      if (answer === null) return;
      settle();
      resolve(answer);
    };
    const broken = (): void => {
      settle();
      reject(new Error(`the connection broke after ${reader.received} bytes of the answer`));
    };
    socket.on('data', take);
    socket.on('close', broken);
    socket.write(bytes);
  });
}
