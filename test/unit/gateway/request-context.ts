import type { Server } from 'bun';
import type { FastPathRead } from '../../../services/gateway/http/fast-path.ts';
import {
  type FilePart,
  type FormFields,
  type MultipartOptions,
  readMultipart,
} from '../../../services/gateway/http/multipart.ts';
import { RequestContext } from '../../../services/gateway/http/request-context.ts';
import { errors } from '../../../shared/errors.ts';
import type { ItemRef } from '../../../shared/items/item.ts';

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

const ITEM: ItemRef = { namespace: 'public', id: 'page' };

/** A read of `/public/page` that the fast path has left to the normal one. */
export function fastPathRead(rest: Partial<FastPathRead> = {}): FastPathRead {
  const visit = async () => ({ record: null, views: 0, entry: null });
  return { startedAt: 0, arrivedAt: 0, item: ITEM, visit, window: null, ...rest };
}

export const readLeftByFastPath = (rest: Partial<FastPathRead>): RequestContext =>
  new RequestContext(new Request('http://localhost/public/page'), server, SETTINGS, fastPathRead(rest));

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

export const OPTIONS: MultipartOptions = {
  limit: { bytes: 50_000_000, tooLarge },
  fileFields: ['file'],
  maxFiles: 1_000,
  maxFields: 1_000,
  takeRoom: async () => undefined,
};
export const FAULT = { code: 'VALIDATION_FAILED' };

type ReadFile = Omit<FilePart, 'body'> & { text: string };

export async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('latin1');
}

export const formOf = (pieces: string[], boundary = 'b') => {
  const body = bodyOf(pieces.map((piece) => Buffer.from(piece, 'latin1')));
  const type = `multipart/form-data; boundary=${boundary}`;
  return { ...body, context: contextWith(body.stream, { 'Content-Type': type }) };
};

/** Reads a form given in pieces, each character one byte. */
export async function read(
  pieces: string[],
  boundary?: string,
  options: Partial<MultipartOptions> = {},
): Promise<{ files: ReadFile[]; fields: FormFields }> {
  const files: ReadFile[] = [];
  const { context } = formOf(pieces, boundary);
  const fields = await readMultipart(context, { ...OPTIONS, ...options }, async ({ body, ...part }) => {
    files.push({ ...part, text: await textOf(body) });
  });
  return { files, fields };
}

export const utf8 = (text: string): string => Buffer.from(text).toString('latin1');
export const part = (headers: string, body: string): string => `--b\r\n${headers}\r\n\r\n${body}\r\n`;
export const field = (name: string, value: string): string =>
  part(`Content-Disposition: form-data; name="${name}"`, value);
export const file = (parameters: string, body = 'x'): string =>
  part(`Content-Disposition: form-data; name="file"; ${parameters}`, body);
export const END = '--b--\r\n';
