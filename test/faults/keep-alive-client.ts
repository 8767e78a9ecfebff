import { connect, type Socket } from 'node:net';

/**
 * An HTTP client over several gateways that keeps its connections and never repeats a request. Goes over to another
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

/** An answer as it came over the wire. */
interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

/** Puts the bytes of one HTTP/1.1 answer together (RFC 9112, section 6): with a length, in chunks, or without a body. */
interface AnswerReader {
  /** `null` until the answer is whole. */
  take(chunk: Buffer): Answer | null;
  readonly received: number;
}

export function createAnswerReader(isHead: boolean): AnswerReader {
  let bytes = Buffer.alloc(0);
  return {
    take(chunk) {
      bytes = Buffer.concat([bytes, chunk]);
      const end = bytes.indexOf('\r\n\r\n');
      if (end < 0) return null;
      const [statusLine = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
      const status = Number(statusLine.split(' ')[1]);
      const headers = new Headers(lines.map((line): [string, string] => splitLine(line)));
      const body = wholeBody(bytes.subarray(end + 4), headers, isHead || status === 204 || status === 304);
      return body === null ? null : { status, headers, text: body.toString('utf8') };
    },
    get received() {
      return bytes.length;
    },
  };
}

function splitLine(line: string): [name: string, value: string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon), line.slice(colon + 1).trim()];
}

function wholeBody(rest: Buffer, headers: Headers, isEmpty: boolean): Buffer | null {
  if (isEmpty) return Buffer.alloc(0);
  if (headers.get('transfer-encoding') === 'chunked') return unchunk(rest);
  const length = Number(headers.get('content-length'));
  return rest.length < length ? null : rest.subarray(0, length);
}

function unchunk(rest: Buffer): Buffer | null {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = rest.indexOf('\r\n', at);
    if (lineEnd < 0) return null;
    const size = Number.parseInt(rest.subarray(at, lineEnd).toString('latin1'), 16);
    const start = lineEnd + 2;
    // The empty line behind a chunk belongs to it.
    if (rest.length < start + size + 2) return null;
    if (size === 0) return Buffer.concat(parts);
    parts.push(rest.subarray(start, start + size));
    at = start + size + 2;
  }
}
