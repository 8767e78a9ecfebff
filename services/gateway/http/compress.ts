import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';
import { createCountingSemaphore } from '../../../shared/counting-semaphore.ts';
import { type Coding, codingFor, isCompressible, MIN_CODED_BYTES, tagOfForm } from './content-coding.ts';
import type { RequestContext } from './request-context.ts';

const ZSTD = { level: 3 };
const GZIP = { level: 6 };
const brotli = (size: number) => ({
  params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: size },
});

/** Up to so many bytes take 0.2 ms at the most, less than handing them to another thread and back. */
const AT_ONCE_BYTES = 16_384;

/** Runs beside the event loop, on threads that the whole process shares. */
const THREADS = 2;

/** Most that wait for a thread. */
const MAX_WAITING = 64;

/** ms until what waits for a thread is sent as it is. */
const MAX_WAIT_MS = 2_000;

const threads = createCountingSemaphore(THREADS);
const brotliLater = promisify(brotliCompress);
const gzipLater = promisify(gzip);

/** Largest size, in relation to the plain bytes, at which a compressed form pays. */
const WORTHWHILE = 0.9;

/** `busy`: too much else is being compressed. In both cases the plain bytes are sent. */
export type Compressed = Uint8Array | 'not-worth' | 'busy';

/** Compresses, off the event loop where it takes long. */
export async function compress(bytes: Uint8Array, coding: Coding): Promise<Compressed> {
  if (bytes.length < MIN_CODED_BYTES) return 'not-worth';
  const made =
    bytes.length <= AT_ONCE_BYTES ? compressNow(bytes, coding) : await compressInTurn(bytes, coding);
  return made !== null && made.length > WORTHWHILE * bytes.length ? 'not-worth' : (made ?? 'busy');
}

async function compressInTurn(bytes: Uint8Array, coding: Coding): Promise<Uint8Array | null> {
  if (!threads.tryAcquire()) {
    if (threads.waiting >= MAX_WAITING) return null;
    if (!(await threads.acquire(MAX_WAIT_MS))) return null;
  }
  try {
    return await compressLater(bytes, coding);
  } finally {
    threads.release();
  }
}

function compressNow(bytes: Uint8Array, coding: Coding): Uint8Array {
  if (coding === 'zstd') return Bun.zstdCompressSync(bytes, ZSTD);
  return coding === 'br' ? brotliCompressSync(bytes, brotli(bytes.length)) : gzipSync(bytes, GZIP);
}

async function compressLater(bytes: Uint8Array, coding: Coding): Promise<Uint8Array> {
  if (coding === 'zstd') return await Bun.zstdCompress(bytes, ZSTD);
  return await (coding === 'br' ? brotliLater(bytes, brotli(bytes.length)) : gzipLater(bytes, GZIP));
}

/** Answers with a text that was made for this request, compressed if that pays. */
export async function textResponse(
  text: string,
  headers: Record<string, string>,
  coding: Coding | null,
): Promise<Response> {
  if (coding === null) return new Response(text, { headers });
  return await codedResponse(new Response(text, { headers }), coding);
}

/**
 * Compresses the answer to a GET that was made for this request: lists, records, pages of ours. Answers that say by `Vary`
 * that they have a form already are left as they are, as those of stored content do, and so are errors and answers that no cache
 * may store: there may be a token or a ticket in them. A 304 gets the `Vary` of the answer in whose place it is.
 */
export async function inBestForm({ method, request }: RequestContext, response: Response): Promise<Response> {
  const { headers, status } = response;
  if (method !== 'GET' || !(status === 200 || status === 304)) return response;
  if (!isCompressible(headers.get('content-type') ?? '')) return response;
  const vary = headers.get('vary');
  if (vary?.includes('Accept-Encoding') || headers.get('cache-control')?.includes('no-store'))
    return response;
  headers.set('Vary', vary === null ? 'Accept-Encoding' : `${vary}, Accept-Encoding`);
  const coding = status === 304 ? null : codingFor(request.headers);
  return coding === null ? response : await codedResponse(response, coding);
}

async function codedResponse(response: Response, coding: Coding): Promise<Response> {
  const { headers, status } = response;
  const bytes = await response.bytes();
  const made = await compress(bytes, coding);
  if (!(made instanceof Uint8Array)) return new Response(bytes, { status, headers });
  const etag = headers.get('etag');
  if (etag !== null) headers.set('ETag', tagOfForm(etag, coding));
  headers.set('Content-Encoding', coding);
  return new Response(made, { status, headers });
}
