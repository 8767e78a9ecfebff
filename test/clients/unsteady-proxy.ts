import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

interface Refusal {
  status: number;
  code: string;
  /** In seconds. */
  retryAfter: number;
}

/** The treatment of a request: passed on, passed on with its answer lost, or refused without being passed on. */
type Fate = 'pass' | 'lose-answer' | Refusal;

export interface UnsteadyProxy {
  url: string;
  /** Every request that came, in order. */
  seen: Array<{
    method: string | undefined;
    path: string | undefined;
    idempotencyKey: string | undefined;
    ownerToken: string | undefined;
  }>;
  /** Of the next requests, one after the other; later ones are passed on. */
  fates: Fate[];
  stop(): void;
}

/** Stands in front of a Perch, and does to its requests what networks and busy servers do. */
export async function startUnsteadyProxy(target: string): Promise<UnsteadyProxy> {
  const seen: UnsteadyProxy['seen'] = [];
  const fates: Fate[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url = '/', headers } = request;
    seen.push({
      method,
      path: url,
      idempotencyKey: headers['idempotency-key']?.toString(),
      ownerToken: headers['x-owner-token']?.toString(),
    });
    const fate = fates.shift() ?? 'pass';
    const body = await buffer(request);
    if (typeof fate === 'object') return refuse(response, fate);
    const { host, connection, 'transfer-encoding': encoding, 'content-length': length, ...kept } = headers;
    const passed = await fetch(target + url, {
      method,
      headers: kept as Record<string, string>,
      redirect: 'manual',
      decompress: false,
      ...(body.byteLength > 0 ? { body } : {}),
    });
    const bytes = await passed.arrayBuffer();
    if (fate === 'lose-answer') breakOff(response);
    else response.writeHead(passed.status, Object.fromEntries(passed.headers)).end(Buffer.from(bytes));
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, seen, fates, stop };
}

function refuse(response: ServerResponse, { status, code, retryAfter }: Refusal): void {
  const body = { status, code, error: '', message: 'Not now.', timestamp: '', requestId: 'r1' };
  response
    .writeHead(status, { 'Content-Type': 'application/json', 'Retry-After': String(retryAfter) })
    .end(JSON.stringify(body));
}

/** The connection ends within the answer: before it, `fetch` of Bun sends the request again by itself. */
function breakOff(response: ServerResponse): void {
  response.writeHead(200, { 'Content-Length': 1000 }).write('half', () => response.socket?.destroy());
}
