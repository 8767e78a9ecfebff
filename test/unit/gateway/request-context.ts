import type { Server } from 'bun';
import { RequestContext } from '../../../services/gateway/http/request-context.ts';
import { errors } from '../../../shared/errors.ts';

const CLIENT = '10.0.0.9';
const server = { requestIP: () => ({ address: CLIENT }) } as unknown as Server<unknown>;

export const tooLarge = () => errors.tooLarge('The body', 1_000);

interface SentBody {
  stream: ReadableStream<Uint8Array>;
  /** Bytes that were asked for so far. */
  taken(): number;
  /** Whether whoever read it let go of it. */
  wasCancelled(): boolean;
}

/** A body in given pieces. */
export function bodyOf(pieces: Uint8Array[]): SentBody {
  let cancelled = false;
  let next = 0;
  let bytes = 0;
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = pieces[next++];
        if (piece === undefined) controller.close();
        else {
          bytes += piece.length;
          controller.enqueue(piece);
        }
      },
      cancel() {
        cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { stream, taken: () => bytes, wasCancelled: () => cancelled };
}

const SETTINGS = { baseUrl: null, trustProxy: 0, port: 80 };

/** A request on its way through the gateway, without a gateway. */
export function contextWith(
  body: ReadableStream<Uint8Array> | Uint8Array | null,
  headers: Record<string, string> = {},
): RequestContext {
  const request = new Request('http://localhost/', { method: 'POST', body, headers });
  return new RequestContext(request, server, SETTINGS);
}

/** A real server whose every request is answered with what `handle` returns, or the code of what it throws. */
export function serveContexts(handle: (context: RequestContext) => Promise<unknown>): Server<unknown> {
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    maxRequestBodySize: 6 * 1024 ** 3,
    async fetch(request, bunServer) {
      const context = new RequestContext(request, bunServer, SETTINGS);
      try {
        return Response.json(await handle(context));
      } catch (error) {
        return Response.json({ failed: codeOf(error), message: String(error) }, { status: 400 });
      } finally {
        context.end();
      }
    },
  });
}

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? 'none';
